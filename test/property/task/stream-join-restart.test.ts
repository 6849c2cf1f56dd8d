import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StreamsBuilder, string } from '../../../lib/index.js';
import type { Topology } from '../../../lib/topology/topology.js';
import { type CutInput, cutRun, uncachedApp } from '../../support/cut-run.js';

const text = { key: string(), value: string() };
type Kind = 'join' | 'leftJoin' | 'outerJoin';

function joined(kind: Kind, before: number, after: number, grace: number, inMemory: boolean): Topology {
  const builder = new StreamsBuilder();
  const left = builder.stream('left', text);
  const joiner = (l: string | null, r: string | null) => `${l}+${r}`;
  const right = builder.stream('right', text);
  const options = { within: { before, after }, grace, inMemory, joiner };
  if (kind === 'join') left.join(right, options).to('out');
  else if (kind === 'leftJoin') left.leftJoin(right, options).to('out');
  else left.outerJoin(right, options).to('out');
  return builder.build();
}

const input: fc.Arbitrary<CutInput> = fc.record({
  topic: fc.constantFrom('left', 'right'),
  key: fc.constantFrom('x', 'y', 'xy', null),
  value: fc.constantFrom('1', '2', null),
  timestampMs: fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 400_000 })),
});

/** Before, after and grace; one of the first two may be negative if the other makes up for it. */
const windows = fc
  .tuple(fc.integer({ min: -6, max: 15 }), fc.integer({ min: -6, max: 15 }), fc.nat({ max: 20 }), fc.boolean())
  .filter(([before, after]) => before + after >= 0);

/**
 * The record that the last look came to (10) is open at 17, so that nobody looks, and 5 waits for 21 though its window closed at 16.
 * Whoever has forgotten the mark looks at once: the answers come in the same order, but sooner.
 */
const heldByTheMark: readonly CutInput[] = [
  ...[0, 5, 10].map((timestampMs) => ({ topic: 'left', key: 'x', value: '1', timestampMs })),
  ...[11, 17, 18, 21].map((timestampMs) => ({ topic: 'right', key: 'y', value: '1', timestampMs })),
];
type Cut = [inputs: CutInput[], of: [before: number, after: number, grace: number, inMemory: boolean], step: number];
const cutWhereTheMarkHolds: Cut = [[...heldByTheMark], [10, 10, 0, false], 1];

test.each(['join', 'leftJoin', 'outerJoin'] as const)(
  '%s of two streams, cut at any record and restored from a cleaned log, is that of a run in one go (trap 27)',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(input, { maxLength: 20 }),
        windows,
        fc.integer({ min: 1, max: 3 }),
        async (inputs, of, step) => {
          const topology = joined(kind, ...of);

          expect(await cutRun(uncachedApp(topology), inputs, { step: step, restart: true })).toEqual(
            await cutRun(uncachedApp(topology), inputs, { step: step, restart: false }),
          );
        },
      ),
      { numRuns: 80, examples: [cutWhereTheMarkHolds] },
    );
  },
);
