import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  defineApp,
  hopping,
  StreamsBuilder,
  session,
  sessionWindowedSerde,
  sliding,
  string,
  timeWindowedSerde,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
const SIZE = 20;
const ADVANCE = 7;
const GAP = 6;
const GRACE = 9;
/** Longer than any test's times: then nothing is late, and the store lets nothing go by the time of the other stream. */
const FOR_EVER = '1d';
const KEYS = ['x', 'y'];
type Side = 'left' | 'right';

interface Input {
  readonly side: Side;
  readonly key: string;
  readonly value: string;
  readonly timestampMs: number;
}
type Kind = 'hopping' | 'sliding' | 'session';

const letterOf = ({ side, value }: Pick<Input, 'side' | 'value'>) => (side === 'left' ? value : value.toUpperCase());

/** The last update of each window: values of the left stream small, those of the right one great, and the timestamp. */
async function cogrouped(kind: Kind, inputs: readonly Input[]): Promise<Readonly<Record<string, string>>> {
  const builder = new StreamsBuilder();
  const right = builder.stream('right', text).groupByKey();
  const grouped = builder
    .stream('left', text)
    .groupByKey()
    .cogroup<string>((_, value, before) => before + letterOf({ side: 'left', value }))
    .cogroup(right, (_, value, before) => before + letterOf({ side: 'right', value }));
  const of = { value: string(), init: () => '' };
  const table =
    kind === 'hopping'
      ? grouped
          .windowedBy(hopping({ size: SIZE, advance: ADVANCE, grace: GRACE }))
          .aggregate({ ...of, retention: FOR_EVER })
      : kind === 'sliding'
        ? grouped.windowedBy(sliding({ timeDifference: SIZE, grace: FOR_EVER })).aggregate(of)
        : grouped
            .windowedBy(session({ inactivityGap: GAP, grace: FOR_EVER }))
            .aggregate({ ...of, merge: (_, before, one) => before + one });
  table.toStream().to('out');
  const settings = { statestoreCacheMaxBytes: 0 };
  const driver = await TopologyTestDriver.start(
    defineApp({ applicationId: 'app', topology: builder.build(), settings }),
  );
  for (const { side, ...record } of inputs) await driver.pipeInput(side, record);
  const key = kind === 'session' ? sessionWindowedSerde(string()) : timeWindowedSerde(string(), SIZE);
  const last: Record<string, string> = {};
  for (const update of driver.readOutputs('out', { key, value: string() })) {
    const name = `${update.key.key}@${update.key.window.startMs}-${update.key.window.endMs}`;
    if (update.value === null) delete last[name];
    else last[name] = `${update.value}@${update.timestampMs}`;
  }
  await driver.close();
  return last;
}

const inputs: fc.Arbitrary<readonly Input[]> = fc.array(
  fc.record({
    side: fc.constantFrom('left' as const, 'right' as const),
    key: fc.constantFrom(...KEYS),
    value: fc.constantFrom('a', 'b', 'c', 'd'),
    timestampMs: fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 80 }) }, fc.nat({ max: 1_500 })),
  }),
  { maxLength: 24 },
);

function rowOf(taken: readonly Input[]): string {
  return `${taken.map(letterOf).join('')}@${Math.max(...taken.map(({ timestampMs }) => timestampMs))}`;
}

test('hopping windows of two streams take what comes before they close by the time of its own stream', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, async (records) => {
      const observedMs = { left: -1, right: -1 };
      const arrived = records.map((record) => {
        observedMs[record.side] = Math.max(observedMs[record.side], record.timestampMs);
        return { ...record, closeMs: observedMs[record.side] - GRACE };
      });
      const expected: Record<string, string> = {};
      for (const key of KEYS) {
        for (let startMs = 0; startMs <= 1_500; startMs += ADVANCE) {
          const endMs = startMs + SIZE;
          const taken = arrived.filter(
            (each) =>
              each.key === key && each.timestampMs >= startMs && each.timestampMs < endMs && endMs > each.closeMs,
          );
          if (taken.length > 0) expected[`${key}@${startMs}-${endMs}`] = rowOf(taken);
        }
      }

      expect(await cogrouped('hopping', records)).toEqual(expected);
    }),
    { numRuns: 80 },
  );
});

test('sliding windows of two streams hold every record of both within the difference, as they came', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, async (records) => {
      const expected: Record<string, string> = {};
      for (const { key, timestampMs } of records) {
        for (const startMs of [Math.max(0, timestampMs - SIZE), timestampMs + 1]) {
          const endMs = startMs + SIZE;
          const taken = records.filter(
            (each) => each.key === key && each.timestampMs >= startMs && each.timestampMs <= endMs,
          );
          if (taken.length > 0) expected[`${key}@${startMs}-${endMs}`] = rowOf(taken);
        }
      }

      expect(await cogrouped('sliding', records)).toEqual(expected);
    }),
    { numRuns: 80 },
  );
});

test('sessions of two streams are the records of both with no longer pause between them', async () => {
  const sorted = (row: string) => {
    const [letters = '', latest] = row.split('@');
    return `${[...letters].sort().join('')}@${latest}`;
  };
  await fc.assert(
    fc.asyncProperty(inputs, async (records) => {
      const expected: Record<string, string> = {};
      for (const key of KEYS) {
        let run: Input[] = [];
        const end = () => {
          const times = run.map(({ timestampMs }) => timestampMs);
          if (run.length > 0) expected[`${key}@${Math.min(...times)}-${Math.max(...times)}`] = sorted(rowOf(run));
          run = [];
        };
        const inOrder = records.filter((each) => each.key === key).sort((a, b) => a.timestampMs - b.timestampMs);
        for (const record of inOrder) {
          if (record.timestampMs - (run.at(-1)?.timestampMs ?? record.timestampMs) > GAP) end();
          run.push(record);
        }
        end();
      }

      const sessions = Object.entries(await cogrouped('session', records));

      expect(Object.fromEntries(sessions.map(([name, row]) => [name, sorted(row)]))).toEqual(expected);
    }),
    { numRuns: 80 },
  );
});
