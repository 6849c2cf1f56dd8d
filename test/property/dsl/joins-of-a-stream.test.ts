import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BuildOptions, defineApp, StreamsBuilder, string } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
const joiner = (value: string, row: string | null) => `${value}+${row}`;
/** A record of the stream names a row of a global table before its bar. */
const foreignKey = (_: string, value: string) => value.split('|')[0] || null;

interface Input {
  readonly topic: 'in' | 'rows';
  readonly key: string;
  readonly value: string | null;
  readonly timestampMs: number;
}
type Answers = readonly (readonly string[])[];

async function answersOf(
  builder: StreamsBuilder,
  inputs: readonly Input[],
  optimization: NonNullable<BuildOptions['optimization']> = 'none',
): Promise<Answers> {
  const topology = builder.build({ optimization });
  const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology }));
  const answers: string[][] = [];
  for (const { topic, ...record } of inputs) {
    await driver.pipeInput(topic, record);
    answers.push(
      driver.readOutputs('out', text).map(({ key, value, timestampMs }) => `${key} ${value}@${timestampMs}`),
    );
  }
  await driver.close();
  return answers;
}

const keys = fc.constantFrom('a', 'b', 'ab');
/** Values that tell each record from all others; those of rows are deletes now and then. */
const inputs = (timestampMs: fc.Arbitrary<number>, streamValue: fc.Arbitrary<string>): fc.Arbitrary<readonly Input[]> =>
  fc
    .array(
      fc.record({
        topic: fc.constantFrom('in' as const, 'rows' as const),
        key: keys,
        isDelete: fc.nat({ max: 3 }).map((one) => one === 0),
        names: streamValue,
        timestampMs,
      }),
      { maxLength: 30 },
    )
    .map((all) =>
      all.map(({ topic, key, isDelete, names, timestampMs: atMs }, at) => {
        const value = topic === 'in' ? `${names}|s${at}` : isDelete ? null : `r${at}`;
        return { topic, key, value, timestampMs: atMs };
      }),
    );

/** The row of a time, by all updates of the table that had come and were not older than its history then. */
function rowAsOf(inputs: readonly Input[], key: string, asOfMs: number, historyMs: number): string | null {
  let streamTimeMs = -1;
  const versions = new Map<number, string | null>();
  for (const input of inputs) {
    if (input.topic !== 'rows' || input.timestampMs < streamTimeMs - historyMs) continue;
    streamTimeMs = Math.max(streamTimeMs, input.timestampMs);
    if (input.key === key) versions.set(input.timestampMs, input.value);
  }
  const newestMs = Math.max(-1, ...versions.keys());
  if (asOfMs < streamTimeMs - historyMs && newestMs > asOfMs) return null;
  const validMs = Math.max(-1, ...[...versions.keys()].filter((fromMs) => fromMs <= asOfMs));
  return versions.get(validMs) ?? null;
}

interface Waits {
  readonly graceMs: number;
  readonly historyMs: number;
  readonly isLeft: boolean;
}

/** What each input gives: a record when stream time has passed it by the grace, in the order of time, key and arrival. */
function waitingLooped(all: readonly Input[], { graceMs, historyMs, isLeft }: Waits): Answers {
  let streamTimeMs = -1;
  let waiting: Input[] = [];
  return all.map((input, at) => {
    if (input.topic === 'rows') return [];
    const isTooLate = input.timestampMs < streamTimeMs - graceMs;
    streamTimeMs = Math.max(streamTimeMs, input.timestampMs);
    waiting = isTooLate ? waiting : [...waiting, input];
    const due = isTooLate ? [input] : waiting.filter(({ timestampMs }) => timestampMs <= streamTimeMs - graceMs);
    waiting = waiting.filter((each) => !due.includes(each));
    return [...due]
      .sort((a, b) => a.timestampMs - b.timestampMs || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map((each) => ({ ...each, row: rowAsOf(all.slice(0, at), each.key, each.timestampMs, historyMs) }))
      .filter(({ row }) => row !== null || isLeft)
      .map(({ key, value, row, timestampMs }) => `${key} ${value}+${row}@${timestampMs}`);
  });
}

const waits: fc.Arbitrary<Waits> = fc
  .record({ graceMs: fc.nat({ max: 25 }), moreMs: fc.nat({ max: 60 }), isLeft: fc.boolean() })
  .map(({ graceMs, moreMs, isLeft }) => ({ graceMs, historyMs: graceMs + moreMs, isLeft }));

test('a stream that waits for a table with history is joined with the rows of its time, as by a loop over all updates', async () => {
  await fc.assert(
    fc.asyncProperty(inputs(fc.nat({ max: 80 }), fc.constant('')), waits, async (all, of) => {
      const builder = new StreamsBuilder();
      const table = builder.table('rows', { ...text, store: 'rows', historyRetention: of.historyMs });
      const options = { joiner, grace: of.graceMs };
      const stream = builder.stream('in', text);
      (of.isLeft ? stream.leftJoin(table, options) : stream.join(table, options)).to('out');

      expect(await answersOf(builder, all)).toEqual(waitingLooped(all, of));
    }),
    { numRuns: 100 },
  );
});

test.each([false, true])('a stream joined with a table as it is meets the last update (left: %s)', async (isLeft) => {
  await fc.assert(
    fc.asyncProperty(inputs(fc.nat({ max: 80 }), fc.constant('')), async (all) => {
      const builder = new StreamsBuilder();
      const table = builder.table('rows', text);
      const stream = builder.stream('in', text);
      (isLeft ? stream.leftJoin(table, { joiner }) : stream.join(table, { joiner })).to('out');

      const expected = lastRows(all, isLeft, ({ key }) => key);

      expect(await answersOf(builder, all)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test.each([false, true])(
  'a stream joined with a global table meets the last update of the row that it names (left: %s)',
  async (isLeft) => {
    await fc.assert(
      fc.asyncProperty(inputs(fc.nat({ max: 80 }), fc.constantFrom('a', 'b', 'ab', 'c', '')), async (all) => {
        const builder = new StreamsBuilder();
        const table = builder.globalTable('rows', text);
        const stream = builder.stream('in', text);
        const options = { foreignKey, joiner };
        (isLeft ? stream.leftJoin(table, options) : stream.join(table, options)).to('out');

        const expected = lastRows(all, isLeft, ({ value }) => value?.split('|')[0] ?? '');

        expect(await answersOf(builder, all)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  },
);

/** Each record of the stream with the last of all updates of its row before it, whatever their times. */
function lastRows(all: readonly Input[], isLeft: boolean, rowOf: (input: Input) => string): Answers {
  return all.map((input, at) => {
    if (input.topic === 'rows') return [];
    const last = all.slice(0, at).findLast(({ topic, key }) => topic === 'rows' && key === rowOf(input));
    const row = last?.value ?? null;
    return row === null && !isLeft ? [] : [`${input.key} ${input.value}+${row}@${input.timestampMs}`];
  });
}

interface SelfJoin {
  readonly before: number;
  readonly after: number;
  readonly grace: number;
}
const selfJoins: fc.Arbitrary<SelfJoin> = fc.record({
  before: fc.nat({ max: 20 }),
  after: fc.nat({ max: 20 }),
  grace: fc.nat({ max: 25 }),
});

/**
 * Every record with every one before it in which it lies as left and as right, and with itself, as far as it is still kept: a store keeps a
 * record for as long as window and grace together, the last millisecond excluded. Of two stores the record is in the left one when the
 * right one asks for it; of the one store of an optimised join it is in none yet, and it has to be younger by another millisecond to meet
 * itself. All of this is Kafka Streams' own answer.
 */
function pairsWithItself(all: readonly Input[], of: SelfJoin, optimization: 'none' | 'all'): Answers {
  const { before, after, grace } = of;
  const isWithin = (left: Input, right: Input) =>
    left.key === right.key &&
    right.timestampMs >= left.timestampMs - before &&
    right.timestampMs <= left.timestampMs + after;
  const pair = (left: Input, right: Input) =>
    `${left.key} ${left.value}+${right.value}@${Math.max(left.timestampMs, right.timestampMs)}`;
  let streamTimeMs = -1;
  return all.map((input, at) => {
    const given: string[] = [];
    const gone = streamTimeMs - before - after - grace;
    streamTimeMs = Math.max(streamTimeMs, input.timestampMs);
    const goneWithIt = streamTimeMs - before - after - grace;
    for (const other of all.slice(0, at)) {
      if (isWithin(input, other) && other.timestampMs > gone) given.push(pair(input, other));
      const goneLeft = optimization === 'all' ? gone : goneWithIt;
      if (isWithin(other, input) && other.timestampMs > goneLeft) given.push(pair(other, input));
    }
    if (input.timestampMs > (optimization === 'all' ? goneWithIt + 1 : goneWithIt)) given.push(pair(input, input));
    return given.sort();
  });
}

test.each(['none', 'all'] as const)(
  'a stream that is late within the grace is joined with itself as by nested loops (optimization: %s)',
  async (optimization) => {
    const records = fc.array(fc.record({ key: keys, ts: fc.nat({ max: 120 }), delay: fc.nat({ max: 25 }) }), {
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(records, selfJoins, async (given, of) => {
        const builder = new StreamsBuilder();
        const stream = builder.stream('in', text);
        stream.join(stream, { within: { before: of.before, after: of.after }, grace: of.grace, joiner }).to('out');
        const arriving = given
          .map(({ key, ts, delay }, at) => ({ key, ts, value: `v${at}`, arrives: ts + (delay % (of.grace + 1)) }))
          .sort((a, b) => a.arrives - b.arrives)
          .map(({ key, ts, value }): Input => ({ topic: 'in', key, value, timestampMs: ts }));

        const answers = await answersOf(builder, arriving, optimization);

        expect(answers.map((each) => [...each].sort())).toEqual(pairsWithItself(arriving, of, optimization));
      }),
      { numRuns: 60 },
    );
  },
);
