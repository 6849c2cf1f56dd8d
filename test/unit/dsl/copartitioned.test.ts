/** Sides of a join have one partition count also where Kafka Streams forgets to ask for it. */
import { describe, expect, test } from 'vitest';
import { type KTable, StreamsBuilder, string, untilTimeLimit } from '../../../lib/index.js';
import { defineApp } from '../../../lib/topology/app.js';
import { resolvePartitions } from '../../../lib/topology/resolve-partitions.js';

const text = { key: string(), value: string() };
const plus = (one: string, other: string) => `${one}+${other}`;

function resolve(builder: StreamsBuilder, counts: Readonly<Record<string, number>>) {
  const app = defineApp({ applicationId: 'app', topology: builder.build() });
  return resolvePartitions(app, new Map(Object.entries(counts)));
}

function suppressedTable(builder: StreamsBuilder): KTable<string, string> {
  return builder.table('held', text).suppress(untilTimeLimit(10));
}

describe('a join with a suppressed table', () => {
  test('is refused at start if its topics have different counts', () => {
    const builder = new StreamsBuilder();
    builder.table('plain', text).join(suppressedTable(builder), { joiner: plus });

    expect(() => resolve(builder, { held: 6, plain: 5 })).toThrow('held has 6, plain has 5');
    expect(resolve(builder, { held: 6, plain: 6 }).taskCounts).toEqual([6]);
  });

  test('gives a repartition topic the count of the other side', () => {
    const builder = new StreamsBuilder();
    const grouped = builder.table('in', text).groupBy((key, value) => [value, key], text);
    const counted = grouped.reduce({ add: plus, subtract: plus, store: 'counted' });
    counted.join(suppressedTable(builder), { joiner: plus });

    expect(resolve(builder, { in: 5, held: 6 }).repartitionTopics).toEqual(new Map([['app-counted-repartition', 6]]));
  });
});

describe('a cogroup', () => {
  test('asks for one count of the topics of its groups, above their repartition topics', () => {
    const builder = new StreamsBuilder();
    const [left, right] = ['left', 'right'].map((topic) =>
      builder.stream(topic, text).groupBy((_, value) => value, { name: topic }),
    );
    if (left === undefined || right === undefined) throw new Error('two groups were made');
    const add = (_key: string, value: string, all: string) => all + value;
    left
      .cogroup(add)
      .cogroup(right, add)
      .aggregate({ init: () => '', value: string() });

    expect(() => resolve(builder, { left: 2, right: 3 })).toThrow('left has 2, right has 3');
    expect([...resolve(builder, { left: 3, right: 3 }).repartitionTopics.values()]).toEqual([3, 3]);
  });

  test('gives its repartition topics the count of what is joined with its table', () => {
    const builder = new StreamsBuilder();
    const grouped = builder.stream('in', text).groupBy((_, value) => value);
    const table = grouped
      .cogroup((_key: string, value: string, all: string) => all + value)
      .aggregate({ init: () => '', value: string(), store: 'all' });
    table.join(builder.table('other', text), { joiner: plus });

    expect(resolve(builder, { in: 2, other: 4 }).repartitionTopics).toEqual(new Map([['app-all-repartition', 4]]));
  });
});

test('a topic that is in two groups leaves neither of them with two counts', () => {
  const builder = new StreamsBuilder();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((topic) =>
    builder.table(topic, text).toStream().repartition({ name: topic }).toTable(),
  );
  if (!a || !b || !c || !d) throw new Error('four tables were made');
  a.join(b, { joiner: plus });
  c.join(d, { joiner: plus });
  b.join(c, { joiner: plus });

  const { repartitionTopics } = resolve(builder, { a: 1, b: 2, c: 3, d: 7 });

  expect(new Set(repartitionTopics.values())).toEqual(new Set([7]));
});
