import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineApp, type KTable, StreamsBuilder, string, type TimestampedKeyValueStore } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
type Texts = KTable<string, string>;
type Rows = ReadonlyMap<string, string>;

interface Input {
  readonly topic: 'left' | 'right' | 'third';
  readonly key: string;
  readonly value: string | null;
  readonly timestampMs: number;
}

const inputs = fc.array(
  fc.record({
    topic: fc.constantFrom<Input['topic']>('left', 'right', 'left', 'right', 'third'),
    key: fc.constantFrom('a', 'b', 'c'),
    value: fc.constantFrom('a', 'b', 'c', null),
    timestampMs: fc.nat({ max: 60 }),
  }),
  { maxLength: 30 },
);

const joiner = (own: string | null, other: string | null) => `${own}+${other}`;
const foreignKey = (value: string) => value;

/** The joins of tables, of which the third ends no row and changes no result; and of which rows on each side they make a result of a key. */
const joins: readonly {
  readonly name: string;
  readonly join: (left: Texts, right: Texts, kept: { readonly store?: string }, third: Texts) => Texts;
  readonly other: (key: string, own: string | null) => string;
  readonly holds: (own: string | null, other: string | null) => boolean;
}[] = [
  {
    name: 'join',
    join: (left, right, kept) => left.join(right, { joiner, value: string(), ...kept }),
    other: (key) => key,
    holds: (own, other) => own !== null && other !== null,
  },
  {
    name: 'leftJoin',
    join: (left, right, kept) => left.leftJoin(right, { joiner, value: string(), ...kept }),
    other: (key) => key,
    holds: (own) => own !== null,
  },
  {
    name: 'outerJoin',
    join: (left, right, kept) => left.outerJoin(right, { joiner, value: string(), ...kept }),
    other: (key) => key,
    holds: (own, other) => own !== null || other !== null,
  },
  {
    name: 'leftJoin that is joined again',
    join: (left, right, kept, third) =>
      left
        .leftJoin(right, { joiner, value: string() })
        .mapValues((value) => value, { value: string() })
        .leftJoin(third, { joiner: (pair) => pair, value: string(), ...kept }),
    other: (key) => key,
    holds: (own) => own !== null,
  },
  {
    name: 'join by foreign key',
    join: (left, right, kept) => left.join(right, { joiner, foreignKey, value: string(), ...kept }),
    other: (key, own) => own ?? key,
    holds: (own, other) => own !== null && other !== null,
  },
  {
    name: 'leftJoin by foreign key',
    join: (left, right, kept) => left.leftJoin(right, { joiner, foreignKey, value: string(), ...kept }),
    other: (key, own) => own ?? key,
    holds: (own) => own !== null,
  },
];

/** The rows of a topic that are live after all inputs, by a plain account. */
function liveRows(given: readonly Input[], topic: Input['topic'], ttlMs: number): Rows {
  const streamTimeMs = Math.max(...given.map(({ timestampMs }) => timestampMs));
  const last = new Map(given.filter((input) => input.topic === topic).map((input) => [input.key, input]));
  const live = new Map<string, string>();
  for (const { key, value, timestampMs } of last.values())
    if (value !== null && timestampMs + ttlMs > streamTimeMs) live.set(key, value);
  return live;
}

/** How often each result is there, by nested loops. */
function expectedCounts(of: (typeof joins)[number], left: Rows, right: Rows): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const own = left.get(key) ?? null;
    const other = right.get(of.other(key, own)) ?? null;
    if (of.holds(own, other)) counts[joiner(own, other)] = (counts[joiner(own, other)] ?? 0) + 1;
  }
  return counts;
}

const NEVER_MS = 1_000_000;
const ttls = fc.constantFrom(1, 5, 20, NEVER_MS);

test.each(joins.map((of) => [of.name, of] as const))(
  'what is counted of a %s, of tables whose rows end is right after each record, whatever ended on which side',
  { timeout: 120_000 },
  async (_, of) => {
    await fc.assert(
      fc.asyncProperty(inputs, ttls, ttls, fc.boolean(), fc.boolean(), async (given, left, right, isKept, isCached) => {
        const builder = new StreamsBuilder();
        const table = (topic: string, ttl: number) =>
          builder.table(topic, { ...text, store: topic, ...(ttl === NEVER_MS ? {} : { ttl }) });
        const [mine, other, third] = [table('left', left), table('right', right), table('third', NEVER_MS)] as const;
        of.join(mine, other, isKept ? { store: 'joined' } : {}, third)
          .groupBy((_key, value) => [value, value] as const, text)
          .count({ store: 'counts' });
        const settings = { statestoreCacheMaxBytes: isCached ? 1_000_000 : 0 };
        const app = defineApp({ applicationId: 'app', topology: builder.build(), settings });
        const driver = await TopologyTestDriver.start(app, { oneTask: true });
        const store = driver.getTimestampedKeyValueStore<string, number>('counts');

        for (const [index, record] of given.entries()) {
          await driver.pipeInput(record.topic, record);

          const so = given.slice(0, index + 1);
          const expected = expectedCounts(of, liveRows(so, 'left', left), liveRows(so, 'right', right));
          expect(await countsIn(store), `after record ${index}`).toEqual(expected);
        }
        await driver.close();
      }),
      { numRuns: 120 },
    );
  },
);

async function countsIn(
  store: Pick<TimestampedKeyValueStore<string, number>, 'all'>,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for await (const { key, value } of store.all()) if (value.value !== 0) counts[key] = value.value;
  return counts;
}
