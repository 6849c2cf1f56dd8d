/** Made-up input, the same for the same seed. */
import { seededRandom } from '../text-of-words.js';
import type { TimedRecord } from './example-run.js';

export const START_MS = Date.parse('2026-03-01T00:00:00Z');
export const MINUTE_MS = 60_000;

export interface MadeUp {
  /** A whole number in [from, to]. */
  between(from: number, to: number): number;
  pick<T>(choices: readonly T[]): T;
}

export function madeUp(seed: number): MadeUp {
  const random = seededRandom(seed);
  const between = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  return {
    between,
    pick(choices) {
      const chosen = choices[between(0, choices.length - 1)];
      if (chosen === undefined) throw new Error('there is nothing to choose from');
      return chosen;
    },
  };
}

/** Records of one key after the other whose times grow by `everyMs`, but for delays of up to `lateMs`. */
export function timedRecords<V>(
  chance: MadeUp,
  of: {
    readonly count: number;
    readonly keys: readonly string[];
    readonly everyMs: number;
    readonly lateMs: number;
    value(index: number): V;
  },
): readonly TimedRecord<V>[] {
  return Array.from({ length: of.count }, (_, index) => ({
    key: chance.pick(of.keys),
    value: of.value(index),
    timestampMs: START_MS + of.lateMs + index * of.everyMs - chance.between(0, of.lateMs),
  }));
}
