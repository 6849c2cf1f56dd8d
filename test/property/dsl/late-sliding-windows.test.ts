import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineApp, StreamsBuilder, sliding, string, timeWindowedSerde } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

interface Input {
  readonly key: string;
  readonly timestampMs: number;
}
interface Windows {
  readonly differenceMs: number;
  readonly graceMs: number;
}
/** A record with its place among all, and the time up to which windows are closed when it has come. */
interface Arrived extends Input {
  readonly at: number;
  readonly closeMs: number;
}
/** Places of the records in a window, in the order of arrival, by key and window. */
type Contents = ReadonlyMap<string, readonly number[]>;

const nameOf = (key: string, startMs: number, endMs: number) => `${key} ${startMs} ${endMs}`;

function arrivals(inputs: readonly Input[], { graceMs }: Windows): readonly Arrived[] {
  let observedMs = -1;
  return inputs.map((input, at) => {
    observedMs = Math.max(observedMs, input.timestampMs);
    return { ...input, at, closeMs: observedMs - graceMs };
  });
}

/** What readers of the topic are left with, and how many updates of windows were dropped. */
async function aggregated(inputs: readonly Input[], { differenceMs, graceMs }: Windows) {
  const builder = new StreamsBuilder();
  builder
    .stream('in', { key: string(), value: string() })
    .groupByKey()
    .windowedBy(sliding({ timeDifference: differenceMs, grace: graceMs }))
    .aggregate({ value: string(), init: () => '', add: (_, value, before) => `${before}${value} ` })
    .toStream()
    .to('out');
  const settings = { statestoreCacheMaxBytes: 0 };
  const driver = await TopologyTestDriver.start(
    defineApp({ applicationId: 'app', topology: builder.build(), settings }),
  );
  for (const [at, { key, timestampMs }] of inputs.entries())
    await driver.pipeInput('in', { key, value: `${at}`, timestampMs });
  const contents = new Map<string, readonly number[]>();
  const keys = timeWindowedSerde(string(), differenceMs);
  for (const { key, value } of driver.readOutputs('out', { key: keys, value: string() }))
    contents.set(nameOf(key.key, key.window.startMs, key.window.endMs), value?.trim().split(' ').map(Number) ?? []);
  const dropped = driver.droppedRecords.get('late') ?? 0;
  await driver.close();
  return { contents, dropped };
}

/** The windows that these records make, each with all of them that lie in it. */
function looped(records: readonly Arrived[], { differenceMs }: Windows): Contents {
  const contents = new Map<string, readonly number[]>();
  for (const { key, timestampMs } of records) {
    for (const startMs of [Math.max(0, timestampMs - differenceMs), timestampMs + 1]) {
      const endMs = startMs + differenceMs;
      const within = records.filter((each) => each.key === key && isIn(each, startMs, endMs));
      const places = within.map(({ at }) => at);
      if (places.length > 0) contents.set(nameOf(key, startMs, endMs), places);
    }
  }
  return contents;
}

function isIn({ timestampMs }: Input, startMs: number, endMs: number): boolean {
  return timestampMs >= startMs && timestampMs <= endMs;
}

const isOnTime = ({ timestampMs, closeMs }: Arrived) => timestampMs >= closeMs;
/** Whether all windows that the record could be in, or make, are closed. */
const isTooLate = ({ timestampMs, closeMs }: Arrived, { differenceMs }: Windows) =>
  timestampMs + 1 + differenceMs <= closeMs;

const windows: fc.Arbitrary<Windows> = fc.record({
  differenceMs: fc.nat({ max: 25 }),
  graceMs: fc.nat({ max: 25 }),
});
/** Late ones among them, and now and then a jump of time beyond every retention. */
const inputs: fc.Arbitrary<readonly Input[]> = fc.array(
  fc.record({
    key: fc.constantFrom('x', 'y'),
    timestampMs: fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 120 }) }, fc.nat({ max: 2_000 })),
  }),
  { maxLength: 25 },
);

test('records too late for every sliding window are dropped and counted, and change nothing of the windows of the others', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, windows, async (all, of) => {
      const isWhole = (each: Arrived) => isOnTime(each) || isTooLate(each, of);
      // What is left out is no later than what came before it: it moves no time on.
      const given = all.filter((_, at) =>
        arrivals(all, of)
          .filter(isWhole)
          .some((each) => each.at === at),
      );
      const arrived = arrivals(given, of);

      const { contents, dropped } = await aggregated(given, of);

      expect(contents).toEqual(looped(arrived.filter(isOnTime), of));
      expect(dropped).toBe(arrived.filter((each) => !isOnTime(each)).length);
    }),
    { numRuns: 100 },
  );
});

test('a sliding window has every record in it that was on time, and none that came when it was closed', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, windows, async (all, of) => {
      const arrived = arrivals(all, of);

      const { contents } = await aggregated(all, of);

      for (const [name, places] of contents) {
        const [key, startMs, endMs] = [name.split(' ')[0], ...name.split(' ').slice(1).map(Number)];
        const within = arrived.filter((each) => each.key === key && isIn(each, Number(startMs), Number(endMs)));
        const open = within.filter(({ closeMs }) => Number(endMs) >= closeMs).map(({ at }) => at);
        expect(places).toEqual(open.filter((at) => places.includes(at)));
        expect(places).toEqual(expect.arrayContaining(within.filter(isOnTime).map(({ at }) => at)));
      }
      const made = looped(arrived.filter(isOnTime), of);
      expect([...contents.keys()]).toEqual(expect.arrayContaining([...made.keys()]));
    }),
    { numRuns: 100 },
  );
});
