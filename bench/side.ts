import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** One side of a comparison: a program that works in a process of its own and says so, as count-member.ts describes it. */
export interface Side {
  readonly command: string;
  readonly args: readonly string[];
}

/** What one run of a side took. */
export interface SideRun {
  readonly records: number;
  /** From the first record processed to the moment at which the offsets of all were seen committed. */
  readonly firstToCommittedMs: number;
  /** The same from the call that starts the application, the start of the process excluded. */
  readonly startToCommittedMs: number;
  readonly recordsPerS: number;
  readonly recordsPerSFromStart: number;
  readonly peakRssMb: number;
}

const timeoutMs = 300_000;

/**
 * Runs one side to its end.
 *
 * @param isCommitted asked over and over once the last record was processed, until it says yes
 * @throws {Error} if the program ends early, or takes five minutes
 */
export async function runSide(
  side: Side,
  brokers: readonly string[],
  isCommitted: () => Promise<boolean>,
): Promise<SideRun> {
  const child = spawn(side.command, side.args, {
    env: { ...process.env, KAFKA_BROKERS: brokers.join(',') },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'exit');
  const said = new Map<string, number>();
  const lastSaid = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what = '', value] = line.split(' ');
      said.set(what, Number(value));
      if (what === 'last') resolve();
    });
  });
  child.stdin.on('error', () => {}); // a side that needs no end of its input may be gone

  await Promise.race([lastSaid, ended]);
  while (said.has('last') && !(await isCommitted())) await new Promise((resolve) => setTimeout(resolve, 10));
  const committedMs = Date.now();
  child.stdin.end();
  const [code, signal] = (await ended) as [number | null, string | null];

  if (code !== 0) throw new Error(`${[side.command, ...side.args].join(' ')} ended with ${signal ?? code}`);
  const at = (what: string): number => {
    const value = said.get(what);
    if (value === undefined) throw new Error(`${side.command} did not say '${what}'`);
    return value;
  };
  const records = at('processed');
  const firstToCommittedMs = committedMs - at('first');
  const startToCommittedMs = committedMs - at('started');
  return {
    records,
    firstToCommittedMs,
    startToCommittedMs,
    recordsPerS: Math.round((1_000 * records) / firstToCommittedMs),
    recordsPerSFromStart: Math.round((1_000 * records) / startToCommittedMs),
    peakRssMb: Math.round(at('peakRssKb') / 1024),
  };
}
