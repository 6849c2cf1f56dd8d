/** Kafka Streams' own answers to cases, from one Java process (test/parity/reference/) that answers one after the other. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toolsClassPath } from '../../support/kafka/jars.js';
import type { RandomCase } from './random-kind.js';

/** A case with Kafka Streams' answer; `refused` says that the Java program could not run the case at all. */
export type Answered<C = RandomCase> = C & { readonly refused?: string };

const folder = fileURLToPath(new URL('../reference', import.meta.url));
/** One case takes a fraction of a second; so long means that the process hangs. */
const ANSWER_TIMEOUT_MS = 120_000;
/** Kafka Streams' stores wait for their disk at every start and end; in memory a case takes a tenth of the time. */
const MEMORY_FOLDER = '/dev/shm';
/** Characters of a case that a message shows. */
const MAX_SHOWN = 200;
const javaOptions = [
  ...(existsSync(MEMORY_FOLDER) ? [`-Djava.io.tmpdir=${MEMORY_FOLDER}`] : []),
  '-Xmx512m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=off',
];

export class ReferenceProcess {
  private readonly process: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  private constructor(process: ChildProcess) {
    this.process = process;
    if (process.stdout === null) throw new Error('the Java process has no output');
    this.lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  }

  /**
   * Starts the process; compiles it first if nobody has. Needs Java 17, and Maven the first time.
   *
   * @param program what it answers: `Placements` steps of the family `assignment`, `Reference` all other cases
   */
  static async start(program: 'Reference' | 'Placements' = 'Reference'): Promise<ReferenceProcess> {
    const classPath = await toolsClassPath(folder);
    return new ReferenceProcess(
      spawn('java', [...javaOptions, '-cp', classPath, program], { stdio: ['pipe', 'pipe', 'ignore'] }),
    );
  }

  /** Asks for the answer to one case. Ask one after the other. */
  async answer<C extends object>(of: C): Promise<Answered<C>> {
    const question = JSON.stringify(of);
    this.process.stdin?.write(`${question}\n`);
    const timer = setTimeout(() => this.process.kill('SIGKILL'), ANSWER_TIMEOUT_MS);
    const { value, done } = await this.lines.next();
    clearTimeout(timer);
    if (done) throw new Error(`the Java process ended while it was asked for ${question.slice(0, MAX_SHOWN)}`);
    return JSON.parse(value) as Answered<C>;
  }

  /** Ends the process. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.stdin?.end();
    await exited;
  }
}
