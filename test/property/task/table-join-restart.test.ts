import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StreamsBuilder, string } from '../../../lib/index.js';
import type { Topology } from '../../../lib/topology/topology.js';
import { type CutInput, cutRun, uncachedApp } from '../../support/cut-run.js';

const text = { key: string(), value: string() };
const joiner = (own: string | null, other: string | null) => `${own}+${other}`;

/** Tables joined and kept, a stream that looks the result up, and one that waits for a table with history. */
function topologyOf(kind: 'join' | 'leftJoin' | 'outerJoin', grace: number): Topology {
  const builder = new StreamsBuilder();
  const left = builder.table('left', { ...text, store: 'l' });
  const right = builder.table('right', { ...text, store: 'r', historyRetention: 100 });
  const joins = {
    join: () => left.join(right, { joiner, store: 'joined' }),
    leftJoin: () => left.leftJoin(right, { joiner, store: 'joined' }),
    outerJoin: () => left.outerJoin(right, { joiner, store: 'joined' }),
  };
  const table = joins[kind]();
  table.toStream().to('out');
  const stream = builder.stream('in', text);
  stream.leftJoin(table, { joiner }).to('out');
  stream.leftJoin(right, { joiner, grace, name: 'waiting' }).to('out');
  return builder.build();
}

const inputs = fc.array(
  fc.record({
    topic: fc.constantFrom('left', 'right', 'in'),
    key: fc.constantFrom('x', 'y', null),
    value: fc.constantFrom('1', '2', null),
    timestampMs: fc.nat({ max: 150 }),
  }),
  { maxLength: 24 },
);

test('joins of tables cut at any record, aborted and restored from a cleaned log, are those of a run in one go (trap 27)', async () => {
  const kinds = fc.constantFrom('join' as const, 'leftJoin' as const, 'outerJoin' as const);
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.nat({ max: 60 }),
      inputs,
      fc.integer({ min: 1, max: 3 }),
      async (kind, grace, given, step) => {
        const topology = topologyOf(kind, grace);
        const records: readonly CutInput[] = given;

        expect(await cutRun(uncachedApp(topology), records, { step: step, restart: true })).toEqual(
          await cutRun(uncachedApp(topology), records, { step: step, restart: false }),
        );
      },
    ),
    { numRuns: 120 },
  );
});
