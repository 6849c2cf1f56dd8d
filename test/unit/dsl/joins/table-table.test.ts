import { describe, expect, it } from 'vitest';
import { defineApp, type StoreOptions, StreamsBuilder, string, TopologyError } from '../../../../lib/index.js';
import { TopologyTestDriver } from '../../../../lib/testing/topology-test-driver.js';
import { resolvePartitions } from '../../../../lib/topology/resolve-partitions.js';

const text = { key: string(), value: string() };
const joiner = (own: string | null, other: string | null) => `${own}+${other}`;
type Kind = 'join' | 'leftJoin' | 'outerJoin';

function joined(kind: Kind, options: StoreOptions = {}, sides: StoreOptions = {}) {
  const builder = new StreamsBuilder();
  const left = builder.table('left', { ...text, ...sides, store: 'l' });
  const right = builder.table('right', { ...text, ...sides, store: 'r' });
  const joins = {
    join: () => left.join(right, { joiner, ...options }),
    leftJoin: () => left.leftJoin(right, { joiner, ...options }),
    outerJoin: () => left.outerJoin(right, { joiner, ...options }),
  };
  return { builder, table: joins[kind]() };
}

async function run(
  builder: StreamsBuilder,
  inputs: readonly (readonly [topic: string, value: string | null, timestampMs: number])[],
) {
  const app = defineApp({
    applicationId: 'app',
    topology: builder.build(),
    settings: { statestoreCacheMaxBytes: 0 },
  });
  const driver = await TopologyTestDriver.start(app);
  for (const [topic, value, timestampMs] of inputs) await driver.pipeInput(topic, { key: 'k', value, timestampMs });
  return driver.readOutputs('out', text).map(({ value, timestampMs }) => `${value}@${timestampMs}`);
}

describe('a join of tables', () => {
  const updates = [
    ['right', 'R', 5],
    ['left', 'L', 3],
    ['right', null, 6],
    ['left', null, 7],
  ] as const;

  it.each<[Kind, readonly string[]]>([
    ['join', ['L+R@5', 'null@6']],
    ['leftJoin', ['L+R@5', 'L+null@6', 'null@7']],
    ['outerJoin', ['null+R@5', 'L+R@5', 'L+null@6', 'null@7']],
  ])('%s gives rows with the greater timestamp of both sides, and deletes', async (kind, expected) => {
    const plain = joined(kind);
    plain.table.toStream().to('out');
    const kept = joined(kind, { store: 'kept' });
    kept.table.toStream().to('out');

    expect(await run(plain.builder, updates)).toEqual(expected);
    expect(await run(kept.builder, updates)).toEqual(expected);
  });

  it.each<Kind>(['join', 'leftJoin', 'outerJoin'])(
    'a stream that looks up a %s which is not kept sees what a kept one holds',
    async (kind) => {
      const lookUps = async (options: StoreOptions) => {
        const { builder, table } = joined(kind, options);
        builder
          .stream('in', text)
          .leftJoin(table, { joiner: (value, row) => `${value}:${row}` })
          .to('out');
        return run(
          builder,
          updates.flatMap((update) => [update, ['in', 'v', 9] as const]),
        );
      };

      expect(await lookUps({})).toEqual(await lookUps({ store: 'kept' }));
    },
  );

  it('gives the row before to who asks for it: a count of its groups is exact', async () => {
    const { builder, table } = joined('outerJoin');
    table
      .groupBy((_, value) => [value, value])
      .count()
      .toStream()
      .mapValues(String, { value: string() })
      .to('out');

    expect(await run(builder, [...updates, ['left', 'L', 8]])).toEqual([
      '1@5',
      '0@5',
      '1@5',
      '0@6',
      '1@6',
      '0@7',
      '1@8',
    ]);
  });

  it('of a table with itself reads one table', async () => {
    const builder = new StreamsBuilder();
    const table = builder.table('left', text);
    table.join(table, { joiner }).toStream().to('out');

    expect(await run(builder, [['left', 'a', 1]])).toEqual(['a+a@1', 'a+a@1']);
  });

  it('leaves out what came late to tables that keep their history (KIP-914)', async () => {
    const late = [
      ['left', 'L10', 10],
      ['right', 'R20', 20],
      ['left', 'L5', 5],
      ['right', 'R15', 15],
    ] as const;
    const plain = joined('join');
    plain.table.toStream().to('out');
    const versioned = joined('join', {}, { historyRetention: '1s' });
    versioned.table.toStream().to('out');

    expect(await run(plain.builder, late)).toEqual(['L10+R20@20', 'L5+R20@20', 'L5+R15@15']);
    expect(await run(versioned.builder, late)).toEqual(['L10+R20@20']);
  });

  it('groups of a table with history count its newest rows alone', async () => {
    const builder = new StreamsBuilder();
    builder
      .table('left', { ...text, store: 'l', historyRetention: 100 })
      .filter(() => true)
      .groupBy((_, value) => [value, value])
      .count()
      .toStream()
      .mapValues(String, { value: string() })
      .to('out');

    const counts = await run(builder, [
      ['left', 'new', 20],
      ['left', 'late', 10],
      ['left', 'newer', 30],
    ]);

    expect(counts).toEqual(['1@20', '0@30', '1@30']);
  });

  it('is refused at start where the sides have different numbers of partitions', () => {
    const app = defineApp({ applicationId: 'app', topology: joined('join').builder.build() });

    expect(() => resolvePartitions(app, new Map(Object.entries({ left: 2, right: 3 })))).toThrow(
      'left has 2, right has 3',
    );
  });

  it('is refused where it is written with a stream, without a joiner, or with a table of another builder', () => {
    const { builder, table } = joined('join');

    expect(() => table.join(builder.stream('in', text) as never, { joiner })).toThrow(TopologyError);
    expect(() => table.outerJoin(table, undefined as never)).toThrow('outerJoin needs a function joiner');
    expect(() => table.leftJoin(joined('join').table, { joiner })).toThrow('another builder');
  });

  it('refuses a history that nothing keeps', () => {
    const { table } = joined('join');

    expect(() => table.filter(() => true, { historyRetention: '1h' })).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining("name the table's store") }),
    );
  });
});

describe('toTable', () => {
  it('moves a stream whose key may have changed, and drops records without key', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .selectKey((_, value) => (value === 'none' ? (null as never) : value))
      .toTable({ store: 'rows' })
      .toStream()
      .to('out');

    expect([...builder.build().repartitionTopics.keys()]).toEqual(['KSTREAM-TOTABLE-0000000002-repartition']);
    expect(
      await run(builder, [
        ['in', 'a', 1],
        ['in', 'none', 2],
      ]),
    ).toEqual(['a@1']);
  });
});
