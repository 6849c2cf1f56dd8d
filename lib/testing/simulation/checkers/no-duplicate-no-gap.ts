/**
 * Topics whose values number the records of each key hold 1, 2, 3 … in order: nothing twice, nothing left out. At least once,
 * too: the store that counts is committed together with what it numbers. Behind a cache numbers may be left out, and only rise.
 */
import { committedValues } from '../seen-outputs.js';
import type { Checker } from './checker.js';

export const noDuplicateNoGap: Checker = {
  name: 'no-duplicate-no-gap',
  watch: ({ cloud, subject, witness, wrong }) => ({
    async ended() {
      const excused = cloud.harms.excusedTopics();
      for (const topic of subject.counting ?? []) {
        if (excused.has(topic)) continue;
        const isCoalesced = witness.map.isCoalesced(topic, cloud.app.settings);
        for (const [key, values] of committedValues(witness.committed, topic)) {
          const what = misnumbered(values.map(numberOf), isCoalesced);
          if (what !== null) wrong(`${topic} ${key}: ${what}`);
        }
      }
    },
  }),
};

/** @returns what is wrong with the numbers of one key; null: nothing */
export function misnumbered(numbers: readonly (number | null)[], isCoalesced: boolean): string | null {
  let before = 0;
  for (const [index, number] of numbers.entries()) {
    const isNext = number !== null && (isCoalesced ? number > before : number === before + 1);
    if (!isNext) return `${number} follows ${before}, at ${index} of ${numbers.length}`;
    before = number;
  }
  return null;
}

/** A long, as its serde writes it; null for anything else. */
function numberOf(value: string | null): number | null {
  return value?.length === 8 ? Number(Buffer.from(value, 'latin1').readBigInt64BE()) : null;
}
