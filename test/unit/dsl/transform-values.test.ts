import { describe, expect, it } from 'vitest';
import {
  defineApp,
  type KeyValueStore,
  keyValueStore,
  long,
  StreamsBuilder,
  string,
  type ValueTransformerContext,
  type ValueTransformerSupplier,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };

function start(builder: StreamsBuilder): Promise<TopologyTestDriver> {
  return TopologyTestDriver.start(
    defineApp({ applicationId: 'app', topology: builder.build(), settings: { statestoreCacheMaxBytes: 0 } }),
  );
}

/** `<value>/<how many rows of that key it was asked for>`; null stays null. */
const counted: ValueTransformerSupplier<string, string, string> = () => {
  let calls: KeyValueStore<string, number>;
  return {
    init(context) {
      calls = context.getStateStore('calls');
    },
    async transform(key, value) {
      const count = ((await calls.get(key)) ?? 0) + 1;
      await calls.put(key, count);
      return value === null ? null : `${value}/${count}`;
    },
  };
};

function built(options: { readonly store?: string; readonly name?: string }): StreamsBuilder {
  const builder = new StreamsBuilder();
  builder.addStateStore(keyValueStore({ name: 'calls', key: string(), value: long() }));
  builder
    .table('rows', text)
    .transformValues(counted, { ...options, stores: ['calls'], value: string() })
    .toStream()
    .to('out');
  return builder;
}

async function played(builder: StreamsBuilder) {
  const driver = await start(builder);
  for (const [key, value, timestampMs] of [
    ['a', '1', 1],
    ['a', '2', 2],
    ['a', null, 3],
    ['b', '3', 4],
  ] as const)
    await driver.pipeInput('rows', { key, value, timestampMs });
  return driver.readOutputs('out', text).map(({ key, value, timestampMs }) => `${key}=${value}@${timestampMs}`);
}

describe('a table whose values an object transforms', () => {
  it.each([{}, { store: 'kept' }])('asks stores, and is called for deleted rows too: %j', async (options) => {
    expect(await played(built(options))).toEqual(['a=1/1@1', 'a=2/2@2', 'a=null@3', 'b=3/1@4']);
  });

  it('is named and numbered as in Kafka Streams, and kept only if its store is named', () => {
    const topology = built({}).build();

    expect(topology.nodes.has('KTABLE-TRANSFORMVALUES-0000000003')).toBe(true);
    expect([...topology.stores.keys()]).toEqual(['calls']);
    expect(built({ name: 'counted' }).build().nodes.has('counted')).toBe(true);
    expect([...built({ store: 'kept' }).build().changelogs.keys()].sort()).toEqual(['calls', 'kept']);
  });

  it.each([
    [{}, ['x+null', 'x+A:a from none']],
    [{ store: 'kept' }, ['x+null', 'x+A:a from rows']],
  ] as const)('is looked up by a join, kept or not: %j', async (options, expected) => {
    const builder = new StreamsBuilder();
    const transformed = builder.table('rows', text).transformValues<string>(
      () => {
        let context: ValueTransformerContext;
        return {
          init(given) {
            context = given;
          },
          transform: (key, value) =>
            value === null ? null : `${value}:${key} from ${context.recordMetadata()?.topic ?? 'none'}`,
        };
      },
      { ...options, value: string() },
    );
    builder
      .stream('in', text)
      .leftJoin(transformed, { joiner: (value, row) => `${value}+${row}` })
      .to('out');
    const driver = await start(builder);

    await driver.pipeInput('in', { key: 'a', value: 'x' });
    await driver.pipeInput('rows', { key: 'a', value: 'A' });
    await driver.pipeInput('in', { key: 'a', value: 'x' });

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(expected);
  });

  it('gives old values to what subtracts them', async () => {
    const builder = new StreamsBuilder();
    builder
      .table('rows', text)
      .transformValues<string>(() => ({ transform: (_, value) => value?.slice(0, 1) ?? null }), { value: string() })
      .groupBy((_, value) => [value, value])
      .count()
      .toStream()
      .to('out');
    const driver = await start(builder);

    await driver.pipeInput('rows', { key: 'a', value: 'xy' });
    await driver.pipeInput('rows', { key: 'b', value: 'xz' });
    await driver.pipeInput('rows', { key: 'a', value: 'yy' });

    const counts = new Map(
      driver.readOutputs('out', { key: string(), value: long() }).map(({ key, value }) => [key, value]),
    );
    expect([...counts]).toEqual([
      ['x', 1],
      ['y', 1],
    ]);
  });

  it('closes what it made, and does not let it forward', async () => {
    let closed = 0;
    const builder = new StreamsBuilder();
    builder
      .table('rows', text)
      .transformValues<string>(
        () => {
          let context: { forward?(record: unknown): unknown };
          return {
            init(given) {
              context = given as never;
            },
            transform: () => context.forward?.({}) as never,
            close: () => {
              closed += 1;
            },
          };
        },
        { value: string(), name: 'by-hand' },
      )
      .toStream()
      .to('out');
    const driver = await start(builder);

    await expect(driver.pipeInput('rows', { key: 'a', value: 'A' })).rejects.toThrow(
      'node by-hand: a transformer of values can not forward',
    );
    await driver.close();
    expect(closed).toBe(1);
  });

  it('is refused without a transformer, or if tasks would share it', () => {
    const transform = (supplier: ValueTransformerSupplier<string, string, string>) => {
      const builder = new StreamsBuilder();
      builder.table('rows', text).transformValues(supplier, { name: 'by-hand', value: string() });
      return () => builder.build();
    };
    const shared = { transform: () => null };

    expect(transform(() => null as never)).toThrow('transformValues: its supplier gives null, no transformer');
    expect(transform(() => shared)).toThrow("processor 'by-hand': its supplier gives the same object again");
    expect(() => new StreamsBuilder().table('rows', text).transformValues(counted, {} as never)).toThrow(
      'no serde for the value',
    );
  });
});

describe('a table made a stream with new keys', () => {
  it('is named as toStream and selectKey are, and moves before it is grouped', async () => {
    const builder = new StreamsBuilder();
    const stream = builder.table('rows', text).toStream((key, value) => `${key}${value}`, { name: 'updates' });
    stream.to('out');
    stream.groupByKey({ name: 'by' }).count();
    const topology = builder.build();

    expect(topology.children.get('updates')).toEqual(['KSTREAM-KEY-SELECT-0000000004']);
    expect([...topology.repartitionTopics.keys()]).toEqual(['by-repartition']);
    const driver = await start(builder);
    await driver.pipeInput('rows', { key: 'a', value: '1', timestampMs: 5 });
    await driver.pipeInput('rows', { key: 'a', value: null, timestampMs: 6 });
    expect(driver.readOutputs('out', text)).toMatchObject([
      { key: 'a1', value: '1', timestampMs: 5 },
      { key: 'anull', value: null, timestampMs: 6 },
    ]);
  });

  it('takes the serde of another type of key', () => {
    const builder = new StreamsBuilder();
    builder
      .table('rows', text)
      .toStream((key) => key.length, { key: long() })
      .to('out');

    expect(builder.build().nodes.has('KTABLE-TOSTREAM-0000000003')).toBe(true);
  });
});
