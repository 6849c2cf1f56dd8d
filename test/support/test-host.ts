/** A host whose clock a test moves by hand: nothing happens between two calls of `advance`. */

import type { Host, LogFields, Logger } from '../../lib/host/host.js';
import { createNodeDigest } from '../../lib/host/node/node-digest.js';
import { AbortedError } from '../../lib/model/errors.js';
import { seededRandom } from './text-of-words.js';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields;
}

export interface TestHost extends Host {
  /** Every line that was logged. */
  readonly lines: LogLine[];
  /** Moves both clocks on and ends the sleeps that are due, in order of their time; then lets what they woke run. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** Turns of the micro-task queue that what was woken gets to run in. */
const SETTLE_TURNS = 20;

/** Lets everything run that needs no clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) await Promise.resolve();
}

/** A host for tests: manual clock that starts at `now`, seeded chance, kept log lines, real checksums. */
export function createTestHost({ now = 1_700_000_000_000, seed = 1 }: { now?: number; seed?: number } = {}): TestHost {
  let elapsedMs = 0;
  const sleepers = new Set<Sleeper>();
  const lines: LogLine[] = [];
  const next = seededRandom(seed);

  return {
    lines,
    clock: {
      now: () => now + elapsedMs,
      monotonic: () => elapsedMs,
      sleep: (ms, signal) => sleepOn(sleepers, elapsedMs + ms, signal),
    },
    random: {
      next,
      id: () => Array.from({ length: 16 }, () => Math.floor(next() * 16).toString(16)).join(''),
    },
    logger: loggerInto(lines, {}),
    metrics: { count: () => undefined, gauge: () => undefined },
    codec: { ids: [0], compress: (_, bytes) => bytes, decompress: (_, bytes) => bytes },
    digest: createNodeDigest(),
    async advance(ms) {
      const untilMs = elapsedMs + ms;
      for (;;) {
        const due = [...sleepers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (due === undefined) break;
        elapsedMs = Math.max(elapsedMs, due.dueMs);
        due.wake();
        await settle();
      }
      elapsedMs = untilMs;
      await settle();
    },
  };
}

function sleepOn(sleepers: Set<Sleeper>, dueMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      sleepers.delete(sleeper);
      reject(new AbortedError('the sleep was given up'));
    };
    const sleeper: Sleeper = {
      dueMs,
      wake: () => {
        sleepers.delete(sleeper);
        signal?.removeEventListener('abort', aborted);
        resolve();
      },
    };
    if (signal?.aborted === true) return aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    sleepers.add(sleeper);
  });
}

function loggerInto(lines: LogLine[], context: LogFields): Logger {
  const log =
    (level: LogLine['level']) =>
    (event: string, fields: LogFields = {}) => {
      lines.push({ level, event, fields: { ...context, ...fields } });
    };
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: (fields) => loggerInto(lines, { ...context, ...fields }),
  };
}
