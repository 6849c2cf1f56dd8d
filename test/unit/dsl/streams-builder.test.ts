import { describe, expect, it } from 'vitest';
import {
  defineApp,
  long,
  type Processor,
  type Serde,
  StreamsBuilder,
  string,
  TopologyError,
  UnconnectedStoreError,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

const text = { key: string(), value: string() };
const later = <T>(value: T): Promise<T> => Promise.resolve(value);

/** Pipes `key:value` texts (empty: null) into `in` and gives what came out of `out`, as `key:value`. */
async function run(builder: StreamsBuilder, inputs: readonly string[], settings = {}): Promise<string[]> {
  const app = defineApp({
    applicationId: 'test',
    topology: builder.build(),
    settings: { statestoreCacheMaxBytes: 0, ...settings },
  });
  const driver = await TopologyTestDriver.start(app);
  for (const [index, input] of inputs.entries()) {
    const [key = '', value = ''] = input.split(':');
    await driver.pipeInput('in', { key: key || null, value: value || null, timestampMs: index });
  }
  const out = driver.readOutputs('out').map(({ key, value }) => `${key}:${value}`);
  await driver.close();
  return out;
}

describe('functions may be async, and order is kept', () => {
  it('in every stateless operator', async () => {
    const builder = new StreamsBuilder();
    const seen: string[] = [];
    builder
      .stream('in', text)
      .filter((key) => later(key !== 'no'))
      .mapValues((value) => later(`${value}!`))
      .flatMapValues((value) => later([value, `${value}${value}`]))
      .map((key, value) => later([`${key}1`, value]))
      .flatMap((key, value) => later([[key, value]]))
      .selectKey((key) => later(`${key}2`))
      .peek((key) => later(seen.push(key)))
      .to('out');

    const out = await run(builder, ['a:x', 'no:y', 'b:z']);

    expect(out).toEqual(['a12:x!', 'a12:x!x!', 'b12:z!', 'b12:z!z!']);
    expect(seen).toEqual(['a12', 'a12', 'b12', 'b12']);
  });

  it('in aggregations', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .groupByKey()
      .aggregate({
        init: () => later(''),
        add: (_key, value, aggregate) => later(aggregate + value),
        value: string(),
      })
      .filter((_key, value) => later(value !== 'xy'))
      .mapValues((value) => later(value.toUpperCase()))
      .toStream()
      .to('out');

    expect(await run(builder, ['a:x', 'a:y', 'a:z'])).toEqual(['a:X', 'a:null', 'a:XYZ']);
  });

  it('in branches and in groups of rows', async () => {
    const builder = new StreamsBuilder();
    const branches = builder
      .stream('in', text)
      .split({ name: 'by-' })
      .branch((_key, value) => later(value === 'x'), { name: 'x' })
      .branch((_key, value) => value === 'y')
      .defaultBranch();
    branches
      .get('by-x')
      ?.mapValues(() => 'first')
      .to('out');
    branches
      .get('by-2')
      ?.mapValues(() => 'second')
      .to('out2');
    branches
      .get('by-0')
      ?.mapValues(() => 'default')
      .to('out');

    expect([...branches.keys()]).toEqual(['by-x', 'by-2', 'by-0']);
    expect(await run(builder, ['a:x', 'b:y', 'c:z'])).toEqual(['a:first', 'c:default']);
  });
});

describe('counting', () => {
  it('does not decode a key that did not change', async () => {
    const blind: Serde<string> = {
      ...string(),
      format: 'blind',
      deserialize: () => {
        throw new Error('decoded');
      },
      deserializeRange: () => {
        throw new Error('decoded');
      },
    };
    const builder = new StreamsBuilder();
    builder.stream('in', { key: blind, value: blind }).groupByKey().count().toStream().to('out', { key: blind });
    const app = defineApp({ applicationId: 'test', topology: builder.build() });
    const driver = await TopologyTestDriver.start(app);

    await driver.pipeInput('in', { key: 'a', value: 'x', timestampMs: 1 });
    await driver.pipeInput('in', { key: 'a', value: 'y', timestampMs: 2 });

    const out = driver.readOutputs('out', { key: string(), value: long() });
    expect(out.map(({ key, value }) => [key, value])).toEqual([
      ['a', 1],
      ['a', 2],
    ]);
    await driver.close();
  });

  it('takes the initial value of a new row out of its group when a table of counts is grouped again, as Kafka Streams does', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .groupByKey()
      .count()
      .groupBy((_key, count) => ['keys', count], { value: long() })
      .count()
      .toStream()
      .to('out');

    expect(await run(builder, ['a:x', 'b:x', 'a:x', 'c:x'])).toEqual(['keys:1', 'keys:1', 'keys:1', 'keys:1']);
  });
});

describe('an aggregation', () => {
  it('deletes the row for null but refuses undefined, which a function gives that forgot to return', async () => {
    const builder = new StreamsBuilder();
    const forgetful = (_all: string, value: string) => (value === 'oops' ? (undefined as unknown as null) : null);
    builder.stream('in', text).groupByKey().reduce(forgetful, { store: 'all' }).toStream().to('out');

    expect(await run(builder, ['a:x', 'a:y'])).toEqual(['a:x', 'a:null']);
    await expect(run(builder, ['a:x', 'a:oops'])).rejects.toThrow("store 'all'");
  });
});

describe('a bad topology is refused before anything runs', () => {
  const refused: readonly [string, (builder: StreamsBuilder) => unknown, string][] = [
    ['no topic', (builder) => builder.stream([], text), 'reads no topic'],
    ['an unnamed topic', (builder) => builder.stream('', text), "'' is no topic name"],
    ['an unnamed sink', (builder) => builder.stream('in', text).to(''), "'' is no topic name"],
    ['nothing at all', () => undefined, 'has no source'],
    [
      'a name that is used twice',
      (builder) => {
        const stream = builder.stream('in', text);
        stream.peek(() => undefined, { name: 'twice' });
        stream.peek(() => undefined, { name: 'twice' });
      },
      "node 'twice' is already added",
    ],
    [
      'a store that is used twice',
      (builder) => {
        const grouped = builder.stream('in', text).groupByKey();
        grouped.count({ store: 'twice' });
        grouped.reduce((_all, value) => value, { store: 'twice' });
      },
      "state store 'twice' has already been added",
    ],
    [
      'a store that was not added',
      (builder) => builder.stream('in', text).process(() => ({ process: () => undefined }), { stores: ['absent'] }),
      "state store 'absent' is not added yet",
    ],
    [
      'a topic that is read as stream and as table',
      (builder) => {
        builder.stream('in', text);
        builder.table('in', text);
      },
      "topic 'in' is already read",
    ],
    [
      'sources whose topics overlap',
      (builder) => {
        builder.stream(['in', 'more'], text);
        builder.stream('in', text);
      },
      "topic 'in' is already read",
    ],
    [
      'streams of one topic that disagree',
      (builder) => {
        builder.stream('in', text);
        builder.stream('in', { key: string(), value: long(), offsetReset: 'latest' });
      },
      'with different value, offsetReset',
    ],
    [
      'a stream of another builder',
      (builder) => builder.stream('in', text).merge(new StreamsBuilder().stream('other', text)),
      'belongs to another builder',
    ],
    [
      'half a partition',
      (builder) => builder.stream('in', text).repartition({ partitions: 0.5 }),
      'cannot have 0.5 partitions',
    ],
  ];

  it.each(refused)('%s', (_name, add, message) => {
    const build = () => {
      const builder = new StreamsBuilder();
      add(builder);
      return builder.build();
    };

    expect(build).toThrow(TopologyError);
    expect(build).toThrow(message);
  });

  it('a processor that asks for a store it is not connected to, at the start', async () => {
    class Asks implements Processor<string, string, string, string> {
      init(context: Parameters<NonNullable<Processor<string, string, string, string>['init']>>[0]): void {
        context.getStateStore('counts');
      }
      process(): void {}
    }
    const builder = new StreamsBuilder();
    const stream = builder.stream('in', text);
    stream.groupByKey().count({ store: 'counts' });
    stream.process(() => new Asks()).to('out');

    await expect(run(builder, [])).rejects.toThrow(UnconnectedStoreError);
  });
});

describe('a builder that goes on', () => {
  it('leaves an earlier topology as it was', () => {
    const builder = new StreamsBuilder();
    const table = builder.table('in', text);
    const before = builder.build();

    table.groupBy((key, value) => [value, key]).count();
    const after = builder.build();

    expect([...before.stores.keys()]).toEqual([]);
    expect(after.stores.size).toBe(2);
    expect(builder.build().describe()).toBe(after.describe());
  });

  it('gives streams of the same topics one source', () => {
    const builder = new StreamsBuilder();
    builder.stream(['a', 'b'], text).to('x');
    builder.stream(['b', 'a'], text).to('y');

    expect([...builder.build().nodes.values()].filter(({ kind }) => kind === 'source')).toHaveLength(1);
  });
});

describe('nulls pass through', () => {
  it('to functions over values, and are dropped by groupings', async () => {
    const builder = new StreamsBuilder();
    const stream = builder.stream('in', text);
    stream.mapValues((value) => `<${value}>`).to('out');
    stream.groupByKey().count().toStream().to('counts');

    expect(await run(builder, ['a:', ':x'])).toEqual(['a:<null>', 'null:<x>']);
  });
});
