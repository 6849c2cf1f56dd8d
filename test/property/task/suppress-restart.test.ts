import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BufferLimits,
  StreamsBuilder,
  session,
  string,
  tumbling,
  untilTimeLimit,
  untilWindowCloses,
} from '../../../lib/index.js';
import type { Topology } from '../../../lib/topology/topology.js';
import { type CutInput, cutRun, uncachedApp } from '../../support/cut-run.js';

const text = { key: string(), value: string() };

function ofTable(limit: number, buffer: BufferLimits): Topology {
  const builder = new StreamsBuilder();
  const table = builder.table('in', { ...text, store: 'rows' });
  table.suppress(untilTimeLimit(limit, buffer)).toStream().to('out');
  return builder.build();
}

function ofWindows(grace: number, isSession: boolean): Topology {
  const builder = new StreamsBuilder();
  const grouped = builder.stream('in', text).groupByKey();
  const counted = isSession
    ? grouped.windowedBy(session({ inactivityGap: 20, grace })).count()
    : grouped.windowedBy(tumbling({ size: 20, grace })).count();
  counted
    .suppress(untilWindowCloses())
    .toStream()
    .map(({ key, window }, count) => [`${key}@${window.startMs}/${window.endMs}`, String(count)], text)
    .to('out');
  return builder.build();
}

const inputs = fc.array(
  fc.record({
    topic: fc.constant('in'),
    key: fc.constantFrom('x', 'y', 'z', null),
    value: fc.constantFrom('1', '2', null),
    timestampMs: fc.oneof(fc.nat({ max: 120 }), fc.nat({ max: 200_000 })),
  }),
  { maxLength: 20 },
);
const topologies = fc.oneof(
  fc
    .tuple(
      fc.nat({ max: 60 }),
      fc.constantFrom<BufferLimits>({}, { maxRecords: 1 }, { maxRecords: 2 }, { maxBytes: 150 }),
    )
    .map((of) => ofTable(...of)),
  fc.tuple(fc.nat({ max: 40 }), fc.boolean()).map((of) => ofWindows(...of)),
);

test('a suppression cut at any record, aborted and restored from a cleaned log, loses nothing and says nothing twice (trap 27)', async () => {
  await fc.assert(
    fc.asyncProperty(topologies, inputs, fc.integer({ min: 1, max: 3 }), async (topology, given, step) => {
      const records: readonly CutInput[] = given;

      expect(await cutRun(uncachedApp(topology), records, { step: step, restart: true })).toEqual(
        await cutRun(uncachedApp(topology), records, { step: step, restart: false }),
      );
    }),
    { numRuns: 150 },
  );
});
