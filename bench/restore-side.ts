import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Side } from './side.js';

/** What one restore took, from an empty memory and, but for snapshots, an empty disk. */
export interface RestoreRun {
  /** From the call that starts the application to the moment at which all of its tasks were seen to have committed; starting the process is left out. */
  readonly startToCommittedMs: number;
  /** From the first restore that began to the last that ended. */
  readonly restoreMs: number;
  readonly peakRssMb: number;
  /** What the program says of what it has read, by name. */
  readonly read: Readonly<Record<string, number>>;
}

const TIMEOUT_MS = 600_000;
const POLL_MS = 5;

/**
 * Runs one side until its tasks have committed.
 *
 * @param stores that it restores
 * @throws {Error} if the program ends early or takes ten minutes
 */
export async function runRestore(
  { command, args }: Side,
  { brokers, stores, isCommitted }: { brokers: readonly string[]; stores: number; isCommitted: () => Promise<boolean> },
): Promise<RestoreRun> {
  const child = spawn(command, args, {
    env: { ...process.env, KAFKA_BROKERS: brokers.join(',') },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'exit');
  child.stdin.on('error', () => {}); // who has ended early hears no end of its input
  const said = listen(child);
  while (child.exitCode === null && !(said.count('restored') >= stores && (await isCommitted()))) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const committedMs = Date.now();
  child.stdin.end();
  const [code, signal] = (await ended) as [number | null, string | null];
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${signal ?? code}`);
  const { started, restoreStarted, restored, peakRssKb, ...read } = said.last();
  if (started === undefined || restoreStarted === undefined || restored === undefined || peakRssKb === undefined)
    throw new Error(`${command} did not say what it did`);
  return {
    startToCommittedMs: committedMs - started,
    restoreMs: restored - restoreStarted,
    peakRssMb: Math.round(peakRssKb / 1024),
    read,
  };
}

function listen(child: ChildProcess): { count(what: string): number; last(): Record<string, number> } {
  const lines: (readonly [string, number])[] = [];
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what = '', value] = line.split(' ');
      lines.push([what, Number(value)]);
    });
  return {
    count: (name) => lines.filter(([what]) => what === name).length,
    last: () => Object.fromEntries(lines),
  };
}
