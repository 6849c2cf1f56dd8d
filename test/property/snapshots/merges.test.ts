/** Whatever is written as deltas, and merged a piece at a time, a reader finds what a plain map holds. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ColdReads, ColdSnapshot } from '../../../lib/snapshots/cold-snapshot.js';
import type { Manifest } from '../../../lib/snapshots/manifest.js';
import type { SnapshotEntry } from '../../../lib/snapshots/segment-format.js';
import { createSnapshotScene, entry, identity, keyOf, show } from '../../support/snapshot-scene.js';

const KEYS = Array.from({ length: 40 }, (_, number) => `k${String(number).padStart(2, '0')}`);
/** So small that a step is one or two segments of a store of forty keys. */
const SIZES = { blockBytes: 40, segmentBytes: 150 };

const changes = fc.uniqueArray(
  fc.record({ key: fc.constantFrom(...KEYS), value: fc.option(fc.string({ maxLength: 20 }), { nil: null }) }),
  { selector: ({ key }) => key, maxLength: 25 },
);

test('a snapshot equals the map of all that was written, and opens key by key, however its deltas were merged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(changes, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 1_500 }),
      async (rounds, mergeStepBytes) => {
        const scene = createSnapshotScene();
        const plain = new Map<string, string>();
        let base: Manifest | undefined;
        for (const [round, changed] of rounds.entries()) {
          const entries: SnapshotEntry[] = [];
          for (const { key, value } of [...changed].sort((a, b) => (a.key < b.key ? -1 : 1))) {
            entries.push(entry(key, value));
            if (value === null) plain.delete(key);
            else plain.set(key, value);
          }
          const more = { sizes: SIZES, mergeStepBytes, ...(base === undefined ? {} : { base }) };
          const written = await scene.write(round + 1, entries, more);
          base = written.manifest;

          const expected = [...plain].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `${key}=${value}`);
          const { snapshot } = await scene.open();
          expect(snapshot === null ? null : await show(snapshot.read())).toEqual(expected);
          const reads = new ColdReads(10_000);
          const cold = await ColdSnapshot.open({ store: scene.store, host: scene.host, identity, reads }, written);
          const found = await cold.getAll(KEYS.map(keyOf));
          const shown = KEYS.flatMap((key) => {
            const value = found.get(keyOf(key))?.value;
            return value === undefined ? [] : [`${key}=${Buffer.from(value)}`];
          });
          expect(shown).toEqual(expected);
        }
      },
    ),
    { numRuns: 60 },
  );
});
