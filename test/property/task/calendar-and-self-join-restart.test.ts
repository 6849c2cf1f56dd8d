import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CalendarUnit, calendar, StreamsBuilder, string } from '../../../lib/index.js';
import type { Topology } from '../../../lib/topology/topology.js';
import { type CutInput, cutRun, uncachedApp } from '../../support/cut-run.js';

const text = { key: string(), value: string() };
const HOUR_MS = 3_600_000;
/** The night in which clocks are put forward in Copenhagen. */
const SPRING_MS = Date.UTC(2024, 2, 31);

function byCalendar(unit: CalendarUnit, isFinal: boolean): Topology {
  const builder = new StreamsBuilder();
  builder
    .stream('in', text)
    .groupByKey()
    .windowedBy(calendar(unit, { zone: 'Europe/Copenhagen', grace: '1h' }))
    .emitStrategy(isFinal ? 'onWindowClose' : 'onWindowUpdate')
    .count({ store: 'counts' })
    .toStream()
    .to('out');
  return builder.build();
}

function selfJoined(before: number, after: number, grace: number): Topology {
  const builder = new StreamsBuilder();
  const stream = builder.stream('in', text);
  stream.join(stream, { within: { before, after }, grace, joiner: (left, right) => `${left}+${right}` }).to('out');
  return builder.build({ optimization: 'all' });
}

const inputsAt = (timestampMs: fc.Arbitrary<number>): fc.Arbitrary<readonly CutInput[]> =>
  fc.array(
    fc.record({
      topic: fc.constant('in'),
      key: fc.constantFrom('x', 'y', null),
      value: fc.constantFrom('1', '2', null),
      timestampMs,
    }),
    { maxLength: 14 },
  );

async function expectCutAsWhole(topology: Topology, inputs: readonly CutInput[], step: number): Promise<void> {
  const app = uncachedApp(topology);
  expect(await cutRun(app, inputs, { step, restart: true })).toEqual(
    await cutRun(app, inputs, { step, restart: false }),
  );
}

const steps = fc.integer({ min: 1, max: 3 });

test('counts by calendar windows, cut at any record and restored from a cleaned log, are those of a run in one go (trap 27)', async () => {
  const times = fc.integer({ min: -30, max: 60 }).map((hours) => SPRING_MS + hours * HOUR_MS);
  await fc.assert(
    fc.asyncProperty(
      inputsAt(times),
      fc.constantFrom<CalendarUnit>('hour', 'day', 'week'),
      fc.boolean(),
      steps,
      (inputs, unit, isFinal, step) => expectCutAsWhole(byCalendar(unit, isFinal), inputs, step),
    ),
    { numRuns: 40 },
  );
});

test('a stream joined with itself and kept once, cut at any record and restored from a cleaned log, is that of a run in one go (trap 27)', async () => {
  const windows = fc.tuple(fc.nat({ max: 15 }), fc.nat({ max: 15 }), fc.nat({ max: 20 }));
  const times = fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 400_000 }));
  await fc.assert(
    fc.asyncProperty(inputsAt(times), windows, steps, (inputs, of, step) =>
      expectCutAsWhole(selfJoined(...of), inputs, step),
    ),
    { numRuns: 60 },
  );
});
