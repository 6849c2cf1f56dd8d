import { describe, expect, it } from 'vitest';
import {
  type ByteStore,
  byteKey,
  customStore,
  defineApp,
  InvalidStateStoreError,
  type KeyValueStore,
  keyValueStore,
  type ProcessorContext,
  type ProcessorSupplier,
  type StateStore,
  type StreamRecord,
  StreamsBuilder,
  string,
  type TimestampedKeyValueStore,
  TopologyError,
  UnconnectedStoreError,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
const firstField = (_: string, value: string) => value.split('|')[0] || null;
const concat = (value: string, row: string | null) => `${value}+${row}`;

function start(builder: StreamsBuilder): Promise<TopologyTestDriver> {
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
}

/** Keeps what comes, in the store of that name. */
function keep(name: string): ProcessorSupplier<string, string> {
  return () => {
    let store: KeyValueStore<string, string>;
    return {
      init(context) {
        store = context.getStateStore(name);
      },
      process: ({ key, value }) => store.put(key, value),
    };
  };
}

/** A step that does something with a store that it is not connected to. */
function withStore(
  name: string,
  use: (store: KeyValueStore<string, string>, record: StreamRecord<string, string>) => unknown,
): ProcessorSupplier<string, string, string, string> {
  return () => {
    let context: ProcessorContext<string, string>;
    return {
      init(given) {
        context = given;
      },
      async process(record) {
        await context.forward(record.withValue(`${await use(context.getStateStore(name), record)}`));
      },
    };
  };
}

function joined(kind: 'join' | 'leftJoin', table: { readonly store?: string } = { store: 'rows' }): StreamsBuilder {
  const builder = new StreamsBuilder();
  const stream = builder.stream('in', text);
  const rows = builder.globalTable('rows', { ...text, ...table });
  const options = { foreignKey: firstField, joiner: concat };
  (kind === 'join' ? stream.join(rows, options) : stream.leftJoin(rows, options)).to('out');
  return builder;
}

describe('a stream joined with a global table', () => {
  it('gets the row that its function names, as it is at that moment, and keeps key and timestamp', async () => {
    const driver = await start(joined('join'));

    await driver.pipeInput('rows', { key: 'r', value: 'R', timestampMs: 90 });
    await driver.pipeInput('in', { key: 'a', value: 'r|1', timestampMs: 10 });
    await driver.pipeInput('in', { key: 'b', value: 's|2', timestampMs: 11 });
    await driver.pipeInput('in', { key: null, value: 'r|3', timestampMs: 12 });
    await driver.pipeInput('rows', { key: 'r', value: null, timestampMs: 91 });
    await driver.pipeInput('in', { key: 'c', value: 'r|4', timestampMs: 13 });

    expect(driver.readOutputs('out', text)).toMatchObject([
      { key: 'a', value: 'r|1+R', timestampMs: 10 },
      { key: null, value: 'r|3+R', timestampMs: 12 },
    ]);
  });

  it('is joined with null in a left join, also where there is no key to look for', async () => {
    const driver = await start(joined('leftJoin'));

    await driver.pipeInput('in', { key: 'a', value: 'r|1' });
    await driver.pipeInput('in', { key: 'b', value: '|2' });
    await driver.pipeInput('in', { key: 'c', value: null });

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['r|1+null', '|2+null']);
  });

  it('waits for functions that answer promises, and keeps the order of its records', async () => {
    const builder = new StreamsBuilder();
    const rows = builder.globalTable('rows', text);
    const soon = <T>(value: T) => new Promise<T>((resolve) => setImmediate(() => resolve(value)));
    builder
      .stream('in', text)
      .join(rows, {
        foreignKey: async (key, value) => soon(firstField(key, value)),
        joiner: async (value, row) => soon(concat(value, row)),
      })
      .to('out');
    const driver = await start(builder);
    await driver.pipeInput('rows', { key: 'r', value: 'R' });

    await driver.pipeInput('in', { key: 'a', value: 'r|1' });
    await driver.pipeInput('in', { key: 'a', value: 'r|2' });

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['r|1+R', 'r|2+R']);
  });

  it('keeps the key as it was, so that what was to be moved is still to be moved', () => {
    const builder = new StreamsBuilder();
    const rows = builder.globalTable('rows', text);
    const options = { foreignKey: firstField, joiner: concat };
    builder
      .stream('in', text)
      .selectKey(firstField as never, text)
      .join(rows, options)
      .groupByKey()
      .count();
    builder.stream('other', text).join(rows, options).groupByKey().count();

    expect(builder.build().repartitionTopics.size).toBe(1);
  });

  it('belongs to the builder that made its table', () => {
    const rows = new StreamsBuilder().globalTable('rows', text);
    const stream = new StreamsBuilder().stream('in', text);

    expect(() => stream.join(rows, { foreignKey: firstField, joiner: concat })).toThrow(/another builder/);
  });

  it('needs its functions', () => {
    const builder = new StreamsBuilder();
    const rows = builder.globalTable('rows', text);
    const stream = builder.stream('in', text);

    expect(() => stream.join(rows, { joiner: concat } as never)).toThrow(/foreignKey/);
    expect(() => stream.leftJoin(rows, { foreignKey: firstField } as never)).toThrow(/joiner/);
  });
});

describe('a global table', () => {
  it('is described as Kafka Streams describes it: numbered with the sub-topologies, named by its processor', () => {
    const builder = new StreamsBuilder();
    builder.globalTable('rows', { ...text, name: 'rows-table' });
    builder.stream('in', text).to('out');

    const topology = builder.build();

    expect(topology.describe()).toContain(
      [
        '   Sub-topology: 0 for global store (will not generate tasks)',
        '    Source: rows-table-source (topics: [rows])',
        '      --> rows-table',
        '    Processor: rows-table (stores: [rows-STATE-STORE-0000000000])',
        '      --> none',
        '      <-- rows-table-source',
        '  Sub-topology: 1',
      ].join('\n'),
    );
    expect(topology.subTopologies.map(({ id }) => id)).toEqual([1]);
    expect([...topology.globalStores.keys()]).toEqual(['rows-STATE-STORE-0000000000']);
  });

  it('can be read by any processor, with the timestamps of its records, and has no changelog', async () => {
    const builder = new StreamsBuilder();
    builder.globalTable('rows', { ...text, store: 'rows' });
    builder
      .stream('in', text)
      .process(withStore('rows', async (store, { key }) => JSON.stringify(await store.get(key))))
      .to('out');
    const driver = await start(builder);

    await driver.pipeInput('rows', { key: 'a', value: 'A', timestampMs: 7 });
    await driver.pipeInput('in', { key: 'a', value: '' });

    expect(driver.readOutputs('out', text)).toMatchObject([{ value: '{"value":"A","timestampMs":7}' }]);
    const store = driver.getStore<TimestampedKeyValueStore<string, string>>('rows');
    expect(await store.get('a')).toEqual({ value: 'A', timestampMs: 7 });
    expect(driver.producedTopicNames).toEqual(['out']);
  });

  it('drops records without key', async () => {
    const driver = await start(joined('leftJoin'));

    await driver.pipeInput('rows', { key: null, value: 'R' });

    expect(driver.getStore<KeyValueStore<string, string>>('rows').approximateNumEntries()).toBe(0);
  });

  it('takes what the topology itself writes to its topic, before the next record', async () => {
    const builder = new StreamsBuilder();
    const rows = builder.globalTable('rows', { ...text, store: 'rows' });
    const stream = builder.stream('in', text);
    stream
      .filter((key) => key === 'row')
      .map((_, value) => [value, value])
      .to('rows');
    stream.leftJoin(rows, { foreignKey: (_, value) => value, joiner: concat }).to('out');
    const driver = await start(builder);

    await driver.pipeInput('in', { key: 'a', value: 'x' });
    await driver.pipeInput('in', { key: 'row', value: 'x' });
    await driver.pipeInput('in', { key: 'a', value: 'x' });

    const values = driver.readOutputs('out', text).map(({ value }) => value);
    expect(values).toEqual(['x+null', 'x+null', 'x+x']);
  });
});

describe('a global store', () => {
  const store = () => keyValueStore({ name: 'gs', ...text });
  const written = (use: Parameters<typeof withStore>[1]) => {
    const builder = new StreamsBuilder();
    builder.addGlobalStore(store(), 'global', text, keep('gs'));
    builder.stream('in', text).process(withStore('gs', use)).to('out');
    return start(builder);
  };

  it.each<[string, Parameters<typeof withStore>[1]]>([
    ['put', (gs, { key, value }) => gs.put(key, value)],
    ['putIfAbsent, though the key is there', (gs, { value }) => gs.putIfAbsent('there', value)],
    ['putAll, though there is nothing to put', (gs) => gs.putAll([])],
    ['delete', (gs, { key }) => gs.delete(key)],
  ])('refuses %s from any processor but its own', async (_, use) => {
    const driver = await written(use);
    await driver.pipeInput('global', { key: 'there', value: 'before' });

    const writing = driver.pipeInput('in', { key: 'a', value: 'b' });

    await expect(writing).rejects.toBeInstanceOf(InvalidStateStoreError);
    await expect(writing).rejects.toMatchObject({
      message: expect.stringContaining("store 'gs' cannot be written here"),
    });
  });

  it('refuses the writes of a kind of its own too, whatever they are called', async () => {
    class Tally implements StateStore {
      readonly name = 'tally';
      private readonly bytes: ByteStore;
      constructor(bytes: ByteStore) {
        this.bytes = bytes;
      }
      add(word: string): void {
        this.bytes.put(byteKey(Buffer.from(word, 'utf8')), Buffer.of(1), 0);
      }
      next(): number {
        return this.bytes.nextSequence();
      }
      size(): number {
        return this.bytes.size;
      }
    }
    const tally = () => customStore({ name: 'tally', ...text, logged: false, open: (bytes) => new Tally(bytes) });
    const keepAll: ProcessorSupplier<string, string> = () => {
      let kept: Tally;
      return {
        init(context) {
          kept = context.getStateStore('tally');
        },
        process: ({ key }) => kept.add(key),
      };
    };
    const using = (use: (store: Tally) => unknown) => {
      const builder = new StreamsBuilder();
      builder.addGlobalStore(tally(), 'global', text, keepAll);
      builder
        .stream('in', text)
        .process(withStore('tally', (store) => use(store as unknown as Tally)))
        .to('out');
      return start(builder);
    };

    const reading = await using((store) => store.size());
    await reading.pipeInput('global', { key: 'a', value: '' });
    await reading.pipeInput('in', { key: 'a', value: '' });
    expect(reading.readOutputs('out', text)).toMatchObject([{ value: '1' }]);
    for (const write of [(store: Tally) => store.add('b'), (store: Tally) => store.next()]) {
      const writing = await using(write);
      await expect(writing.pipeInput('in', { key: 'a', value: '' })).rejects.toThrow(
        "store 'tally' cannot be written here: only the processor of a global store writes to it",
      );
    }
  });

  it('is read in all the ways that its kind allows', async () => {
    const driver = await written(async (gs) => {
      const found: string[] = [];
      for await (const { key, value } of gs.range('b')) found.push(`${key}=${value}`);
      return `${found.join(',')} of ${gs.approximateNumEntries()}`;
    });
    for (const key of ['a', 'b', 'c']) await driver.pipeInput('global', { key, value: key.toUpperCase() });

    await driver.pipeInput('in', { key: 'x', value: '' });

    expect(driver.readOutputs('out', text)).toMatchObject([{ value: 'b=B,c=C of 3' }]);
  });

  it('tells its processor nothing of other stores', async () => {
    const builder = new StreamsBuilder();
    builder.addGlobalStore(store(), 'global', text, keep('rows'));
    builder.globalTable('rows', { ...text, store: 'rows' });
    builder.stream('in', text).to('out');

    await expect(start(builder)).rejects.toBeInstanceOf(UnconnectedStoreError);
  });

  it('gives its processor no punctuations', async () => {
    const builder = new StreamsBuilder();
    builder.addGlobalStore(store(), 'global', text, () => ({
      init: (context) => void context.schedule('1s', 'wallClockTime', () => undefined),
      process: () => undefined,
    }));
    builder.stream('in', text).to('out');

    await expect(start(builder)).rejects.toThrow(/cannot schedule punctuations/);
  });

  it('leaves nothing of a record at which its processor throws', async () => {
    const builder = new StreamsBuilder();
    builder.addGlobalStore(store(), 'global', text, () => {
      let gs: KeyValueStore<string, string>;
      return {
        init(context) {
          gs = context.getStateStore('gs');
        },
        async process({ key, value }) {
          await gs.put(key, value);
          if (value === 'bad') throw new Error('no such rate');
        },
      };
    });
    builder.stream('in', text).to('out');
    const driver = await start(builder);
    await driver.pipeInput('global', { key: 'a', value: 'good' });

    await expect(driver.pipeInput('global', { key: 'a', value: 'bad' })).rejects.toThrow(/no such rate/);

    expect(await driver.getStore<KeyValueStore<string, string>>('gs').get('a')).toBe('good');
  });

  it('is refused where it is passed to a processor, and where its name is taken', () => {
    const passed = new StreamsBuilder();
    passed.addGlobalStore(store(), 'global', text, keep('gs'));
    passed.stream('in', text).process(
      withStore('gs', () => ''),
      { stores: ['gs'] },
    );
    const taken = new StreamsBuilder();
    taken.addGlobalStore(store(), 'global', text, keep('gs'));
    taken.globalTable('rows', { ...text, store: 'gs' });
    const readTwice = new StreamsBuilder();
    readTwice.globalTable('rows', text);
    readTwice.stream('rows', text).to('out');

    expect(() => passed.build()).toThrow(TopologyError);
    expect(() => passed.build()).toThrow(/global store 'gs' cannot be connected to 'KSTREAM-PROCESSOR-0000000003'/);
    expect(() => taken.build()).toThrow(/a different state store 'gs' has already been added/);
    expect(() => readTwice.build()).toThrow(/topic 'rows' is already read by source/);
  });
});
