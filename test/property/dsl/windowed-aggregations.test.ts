import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  defineApp,
  hopping,
  type KGroupedStream,
  type KTable,
  StreamsBuilder,
  session,
  sessionWindowedSerde,
  sliding,
  string,
  timeWindowedSerde,
  type Windowed,
} from '../../../lib/index.js';
import type { TestRecord } from '../../../lib/testing/driver/driver-options.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

interface Input {
  readonly key: string;
  readonly value: string;
  readonly timestampMs: number;
}
type Grouped = KGroupedStream<string, string>;
type Update = TestRecord<Windowed<string>, string | null>;

const KEYS = ['x', 'y'];
const all = {
  value: string(),
  init: () => '',
  add: (_key: string, value: string, before: string) => before + value,
};
const allOfSessions = { ...all, merge: (_key: string, before: string, one: string) => before + one };
/** Longer than any test's times: then nothing is let go. */
const FOR_EVER = '1d';

/** What each record causes. */
async function updatesOf(
  inputs: readonly Input[],
  aggregate: (grouped: Grouped) => KTable<Windowed<string>, string>,
  keys = timeWindowedSerde(string(), SIZE),
): Promise<readonly (readonly Update[])[]> {
  const builder = new StreamsBuilder();
  aggregate(builder.stream('in', { key: string(), value: string() }).groupByKey())
    .toStream()
    .to('out');
  const settings = { statestoreCacheMaxBytes: 0 };
  const driver = await TopologyTestDriver.start(
    defineApp({ applicationId: 'app', topology: builder.build(), settings }),
  );
  const updates: (readonly Update[])[] = [];
  for (const { key, value, timestampMs } of inputs) {
    await driver.pipeInput('in', { key, value, timestampMs });
    updates.push(driver.readOutputs('out', { key: keys, value: string() }));
  }
  await driver.close();
  return updates;
}

/** The last update of each window: what a reader of the topic is left with. */
function lastOf(updates: readonly (readonly Update[])[]): Readonly<Record<string, string>> {
  const last: Record<string, string> = {};
  for (const { key, value, timestampMs } of updates.flat()) {
    const name = `${key.key}@${key.window.startMs}-${key.window.endMs}`;
    if (value === null) delete last[name];
    else last[name] = `${value}@${timestampMs}`;
  }
  return last;
}

/** Values of one letter each; now and then a jump of time beyond every retention. */
const inputs = (jumps: boolean): fc.Arbitrary<readonly Input[]> =>
  fc.array(
    fc.record({
      key: fc.constantFrom(...KEYS),
      value: fc.constantFrom('a', 'b', 'c', 'd'),
      timestampMs: jumps
        ? fc.oneof(fc.nat({ max: 80 }), fc.nat({ max: 80 }), fc.nat({ max: 2_000 }))
        : fc.nat({ max: 80 }),
    }),
    { maxLength: 20 },
  );

const SIZE = 20;
const ADVANCE = 6;
const GRACE = 9;

/** Each record with the time up to which windows are closed when it has come. */
function withClose(records: readonly Input[]): readonly (Input & { readonly closeMs: number })[] {
  let observedMs = -1;
  return records.map((record) => {
    observedMs = Math.max(observedMs, record.timestampMs);
    return { ...record, closeMs: observedMs - GRACE };
  });
}

/** What is left of sliding windows: each window that a record makes, with the values of all records in it as they came, and the latest time. */
function slidingContents(records: readonly Input[], differenceMs: number): Readonly<Record<string, string>> {
  const expected: Record<string, string> = {};
  for (const { key, timestampMs } of records) {
    for (const startMs of [Math.max(0, timestampMs - differenceMs), timestampMs + 1]) {
      const endMs = startMs + differenceMs;
      const within = records.filter(
        (each) => each.key === key && each.timestampMs >= startMs && each.timestampMs <= endMs,
      );
      if (within.length === 0) continue;
      const latestMs = Math.max(...within.map((each) => each.timestampMs));
      expected[`${key}@${startMs}-${endMs}`] = `${within.map(({ value }) => value).join('')}@${latestMs}`;
    }
  }
  return expected;
}

const sorted = (letters: string) => [...letters].sort().join('');

describe('windowed aggregations are those of a nested loop over all windows and all records', () => {
  test('hopping windows take what comes before they close, in order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(inputs(true), async (records) => {
        const windows = hopping({ size: SIZE, advance: ADVANCE, grace: GRACE });
        const updates = await updatesOf(records, (grouped) => grouped.windowedBy(windows).aggregate(all));

        const expected: Record<string, string> = {};
        const greatestMs = Math.max(0, ...records.map(({ timestampMs }) => timestampMs));
        for (const key of KEYS) {
          for (let startMs = 0; startMs <= greatestMs; startMs += ADVANCE) {
            const endMs = startMs + SIZE;
            const taken = withClose(records).filter(
              (each) =>
                each.key === key && each.timestampMs >= startMs && each.timestampMs < endMs && endMs > each.closeMs,
            );
            if (taken.length === 0) continue;
            const latestMs = Math.max(...taken.map(({ timestampMs }) => timestampMs));
            expected[`${key}@${startMs}-${endMs}`] = `${taken.map(({ value }) => value).join('')}@${latestMs}`;
          }
        }
        expect(lastOf(updates)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  test('sliding windows hold every record within the difference, however the records are shuffled', async () => {
    await fc.assert(
      fc.asyncProperty(inputs(false), fc.integer({ min: 0, max: 25 }), async (records, difference) => {
        const windows = sliding({ timeDifference: difference, grace: FOR_EVER });
        const keys = timeWindowedSerde(string(), difference);
        const updates = await updatesOf(records, (grouped) => grouped.windowedBy(windows).aggregate(all), keys);

        expect(lastOf(updates)).toEqual(slidingContents(records, difference));
      }),
      { numRuns: 100 },
    );
  });

  test('sessions are the records with no longer pause between them, however they are shuffled', async () => {
    await fc.assert(
      fc.asyncProperty(inputs(false), fc.integer({ min: 1, max: 12 }), async (records, gap) => {
        const windows = session({ inactivityGap: gap, grace: FOR_EVER });
        const keys = sessionWindowedSerde(string());
        const updates = await updatesOf(
          records,
          (grouped) => grouped.windowedBy(windows).aggregate(allOfSessions),
          keys,
        );

        const expected: Record<string, string> = {};
        for (const key of KEYS) {
          const of = records.filter((each) => each.key === key);
          const times = of.map(({ timestampMs }) => timestampMs);
          const starts = times.filter((timeMs) => !times.some((other) => other < timeMs && other >= timeMs - gap));
          for (const startMs of new Set(starts)) {
            let endMs = startMs;
            for (const timeMs of [...times].sort((a, b) => a - b))
              if (timeMs > endMs && timeMs <= endMs + gap) endMs = timeMs;
            const within = of.filter(({ timestampMs: timeMs }) => timeMs >= startMs && timeMs <= endMs);
            expected[`${key}@${startMs}-${endMs}`] = `${sorted(within.map(({ value }) => value).join(''))}@${endMs}`;
          }
        }
        // In which order sessions that a record joins are merged depends on all that were there: what they hold does not.
        const held = Object.entries(lastOf(updates)).map(([name, value]) => {
          const [letters = '', latest] = value.split('@');
          return [name, `${sorted(letters)}@${latest}`];
        });
        expect(Object.fromEntries(held)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});

describe('final results', () => {
  const kinds = {
    hopping: { windows: hopping({ size: SIZE, advance: ADVANCE, grace: GRACE }), isInclusive: false, waitMs: GRACE },
    sliding: { windows: sliding({ timeDifference: SIZE, grace: GRACE }), isInclusive: true, waitMs: GRACE },
    'sliding of one time': { windows: sliding({ timeDifference: 0, grace: GRACE }), isInclusive: true, waitMs: GRACE },
    session: { windows: session({ inactivityGap: 7, grace: GRACE }), isInclusive: true, waitMs: GRACE + 7 },
  };

  test.each(Object.entries(kinds))(
    'of %s windows are given when they close, as they are then, each once, though stream time jumps',
    async (_, { windows, isInclusive, waitMs }) => {
      const keys =
        windows.kind === 'session'
          ? sessionWindowedSerde(string())
          : timeWindowedSerde(string(), windows.kind === 'sliding' ? windows.timeDifferenceMs : SIZE);
      await fc.assert(
        fc.asyncProperty(inputs(true), async (records) => {
          const updated = (grouped: Grouped) =>
            windows.kind === 'session'
              ? grouped.windowedBy(windows).aggregate({ ...allOfSessions, retention: FOR_EVER })
              : grouped.windowedBy(windows as never).aggregate({ ...all, retention: FOR_EVER });
          const final = (grouped: Grouped) =>
            windows.kind === 'session'
              ? // With the default retention sessions are others: final-sessions.test.ts.
                grouped
                  .windowedBy(windows)
                  .emitStrategy('onWindowClose')
                  .aggregate({ ...allOfSessions, retention: FOR_EVER })
              : grouped
                  .windowedBy(windows as never)
                  .emitStrategy('onWindowClose')
                  .aggregate(all);
          const given = await updatesOf(records, final, keys);

          const updates = await updatesOf(records, updated, keys);
          let lastEndMs = Number.NEGATIVE_INFINITY;
          let observedMs = -1;
          for (const [index, { timestampMs }] of records.entries()) {
            const before = lastEndMs;
            observedMs = Math.max(observedMs, timestampMs);
            lastEndMs = observedMs - waitMs - (isInclusive ? 1 : 0);
            const closed = Object.entries(lastOf(updates.slice(0, index + 1))).filter(([name]) => {
              const endMs = Number(name.split('-')[1]);
              return endMs > before && endMs <= lastEndMs;
            });
            expect(lastOf(given.slice(index, index + 1))).toEqual(Object.fromEntries(closed));
            expect(given[index]?.length).toBe(closed.length);
          }
        }),
        { numRuns: 80 },
      );
    },
  );
});
