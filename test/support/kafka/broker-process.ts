import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../wait-for.js';
import type { BrokerPlace } from './broker-properties.js';
import type { Watchdog } from './watchdog.js';

/** One cluster for all tests: brokers of the same data folder must agree on it. */
const clusterId = '4L6g3nShT-eMCtK--X86sw';

const startTimeoutMs = 60_000;
const pollMs = 50;
/** Lines of a broker's log shown when it does not start. */
const linesShown = 30;

/** Signals after which a process goes on. */
const harmless: ReadonlySet<NodeJS.Signals> = new Set(['SIGSTOP', 'SIGCONT', 'SIGQUIT']);

export interface BrokerProcessOptions {
  readonly place: BrokerPlace;
  readonly propertiesFile: string;
  /** Folder of the logs. */
  readonly dir: string;
  /** Records to begin with, as Kafka's storage tool takes them (`--add-scram`). */
  readonly formatArguments: readonly string[];
  /** Arguments of `java` up to and with the class path. */
  readonly java: readonly string[];
  readonly watchdog: Watchdog;
}

/** One broker: its process, when it runs, and its log file. */
export class BrokerProcess {
  private readonly options: BrokerProcessOptions;
  private readonly logFile: string;
  private process: ChildProcess | undefined;

  constructor(options: BrokerProcessOptions) {
    this.options = options;
    this.logFile = join(options.dir, `broker-${options.place.id}.log`);
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  async log(): Promise<string> {
    return existsSync(this.logFile) ? readFile(this.logFile, 'utf8') : '';
  }

  /** Makes the data folder, if there is none. */
  async format(): Promise<void> {
    const { place, propertiesFile, formatArguments } = this.options;
    if (existsSync(place.dataFolder)) return;
    const format = ['format', '-t', clusterId, '-c', propertiesFile, ...formatArguments];
    const process = await this.run('kafka.tools.StorageTool', ...format);
    if (process.exitCode === null) await once(process, 'exit');
    if (process.exitCode !== 0) throw new Error(`Kafka's storage tool failed:\n${await this.endOfLog(0)}`);
  }

  /** Starts the broker; returns when it takes part in its cluster. */
  async start(): Promise<void> {
    if (this.process !== undefined) throw new Error(`broker ${this.options.place.id} runs already`);
    const seen = (await this.log()).length;
    const process = await this.run('kafka.Kafka', this.options.propertiesFile);
    this.process = process;

    const deadline = Date.now() + startTimeoutMs;
    while (!(await this.log()).slice(seen).includes('Kafka Server started')) {
      if (this.process !== process) throw new Error(`the broker ended:\n${await this.endOfLog(seen)}`);
      if (Date.now() > deadline) throw new Error(`not started in ${startTimeoutMs} ms:\n${await this.endOfLog(seen)}`);
      await sleep(pollMs);
    }
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const process = this.process;
    if (process === undefined) return;
    const ended = once(process, 'exit');
    process.kill(signal);
    if (!harmless.has(signal)) await ended;
  }

  private async run(mainClass: string, ...args: string[]): Promise<ChildProcess> {
    const { java, watchdog } = this.options;
    const log = await open(this.logFile, 'a');
    try {
      const child = spawn('java', [...java, mainClass, ...args], { stdio: ['ignore', log.fd, log.fd] });
      child.once('exit', () => {
        if (this.process === child) this.process = undefined;
        if (child.pid !== undefined) watchdog.forget(child.pid);
      });
      await once(child, 'spawn');
      if (child.pid !== undefined) watchdog.watch(child.pid);
      return child;
    } finally {
      await log.close();
    }
  }

  private async endOfLog(from: number): Promise<string> {
    return (await this.log()).slice(from).trimEnd().split('\n').slice(-linesShown).join('\n');
  }
}
