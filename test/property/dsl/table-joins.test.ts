import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  defineApp,
  type KeyValueStore,
  type KTable,
  StreamsBuilder,
  string,
  type ValueAndTimestamp,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
const joiner = (own: string | null, other: string | null) => `${own}+${other}`;
type Rows = ReadonlyMap<string, string>;
type Texts = KTable<string, string>;

/** A row of the left table names a row of the right one before its bar. */
const foreignKey = (value: string) => value.split('|')[0] || null;

/** Each join, and what it is of both tables as they are: by nested loops. */
const joins: readonly {
  readonly name: string;
  readonly join: (left: Texts, right: Texts) => Texts;
  readonly expected: (left: Rows, right: Rows) => Rows;
}[] = [
  {
    name: 'join',
    join: (left, right) => left.join(right, { joiner, store: 'joined' }),
    expected: (left, right) => pairs(left.keys(), left, right, (own, other) => own !== null && other !== null),
  },
  {
    name: 'leftJoin',
    join: (left, right) => left.leftJoin(right, { joiner, store: 'joined' }),
    expected: (left, right) => pairs(left.keys(), left, right, (own) => own !== null),
  },
  {
    name: 'outerJoin',
    join: (left, right) => left.outerJoin(right, { joiner, store: 'joined' }),
    expected: (left, right) => pairs([...left.keys(), ...right.keys()], left, right, () => true),
  },
  {
    name: 'join by foreign key',
    join: (left, right) => left.join(right, { joiner, foreignKey, store: 'joined' }),
    expected: (left, right) => byForeignKey(left, right, false),
  },
  {
    name: 'leftJoin by foreign key',
    join: (left, right) => left.leftJoin(right, { joiner, foreignKey, store: 'joined' }),
    expected: (left, right) => byForeignKey(left, right, true),
  },
];

function pairs(
  keys: Iterable<string>,
  left: Rows,
  right: Rows,
  holds: (own: string | null, other: string | null) => boolean,
): Rows {
  const rows = new Map<string, string>();
  for (const key of keys) {
    const own = left.get(key) ?? null;
    const other = right.get(key) ?? null;
    if (holds(own, other)) rows.set(key, joiner(own, other));
  }
  return rows;
}

function byForeignKey(left: Rows, right: Rows, isLeft: boolean): Rows {
  const rows = new Map<string, string>();
  for (const [key, own] of left) {
    const other = right.get(foreignKey(own) ?? 'none') ?? null;
    if (other !== null || isLeft) rows.set(key, joiner(own, other));
  }
  return rows;
}

interface Update {
  readonly topic: 'left' | 'right';
  readonly key: string;
  readonly value: string | null;
  readonly timestampMs: number;
}

const keys = fc.constantFrom('a', 'b', 'c');
const updates: fc.Arbitrary<readonly Update[]> = fc.array(
  fc.oneof(
    fc.record({
      topic: fc.constant('left' as const),
      key: keys,
      value: fc.option(
        fc.tuple(fc.constantFrom('a', 'b', 'c', ''), fc.nat({ max: 2 })).map((parts) => parts.join('|')),
      ),
      timestampMs: fc.nat({ max: 50 }),
    }),
    fc.record({
      topic: fc.constant('right' as const),
      key: keys,
      value: fc.option(fc.constantFrom('x', 'y')),
      timestampMs: fc.nat({ max: 50 }),
    }),
  ),
  { maxLength: 30 },
);

async function run(join: (left: Texts, right: Texts) => Texts, all: readonly Update[], cacheBytes: number) {
  const builder = new StreamsBuilder();
  const table = join(builder.table('left', text), builder.table('right', text));
  table.toStream().to('out');
  table.groupBy((_, value) => [value, value]).count({ store: 'counts' });
  const app = defineApp({
    applicationId: 'app',
    topology: builder.build(),
    settings: { statestoreCacheMaxBytes: cacheBytes },
  });
  const driver = await TopologyTestDriver.start(app);
  for (const { topic, ...record } of all) await driver.pipeInput(topic, record);
  const kept = new Map<string, string>();
  const joined = driver.getStore<KeyValueStore<string, ValueAndTimestamp<string>>>('joined');
  for await (const { key, value } of joined.all()) kept.set(key, value.value);
  const counts = new Map<string, number>();
  const counted = driver.getStore<KeyValueStore<string, ValueAndTimestamp<number>>>('counts');
  for await (const { key, value } of counted.all()) if (value.value !== 0) counts.set(key, value.value);
  const last = new Map<string, string>();
  for (const { key, value } of driver.readOutputs('out', text)) {
    if (value === null) last.delete(key);
    else last.set(key, value);
  }
  return { kept, last, counts };
}

function tableOf(all: readonly Update[], wanted: Update['topic']): Rows {
  const rows = new Map<string, string>();
  for (const { topic, key, value } of all) {
    if (topic !== wanted) continue;
    if (value === null) rows.delete(key);
    else rows.set(key, value);
  }
  return rows;
}

test.each(joins)(
  'a $name is that of both tables as they are, kept, forwarded and counted, in any order of updates',
  async ({ join, expected }) => {
    await fc.assert(
      fc.asyncProperty(updates, fc.constantFrom(0, 1_000_000), async (all, cacheBytes) => {
        const rows = expected(tableOf(all, 'left'), tableOf(all, 'right'));

        const { kept, last, counts } = await run(join, all, cacheBytes);

        expect(kept).toEqual(rows);
        expect(last).toEqual(rows);
        const values = [...rows.values()];
        expect(counts).toEqual(new Map(values.map((value) => [value, values.filter((one) => one === value).length])));
      }),
      { numRuns: 60 },
    );
  },
);
