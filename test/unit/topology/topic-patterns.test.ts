import { describe, expect, it } from 'vitest';
import {
  defineApp,
  json,
  StreamsBuilder,
  string,
  type Topology,
  TopologyBuilder,
  TopologyError,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';
import { internalTopicSpecs } from '../../../lib/topology/internal-topic-specs.js';
import { resolvePartitions } from '../../../lib/topology/resolve-partitions.js';
import { matchesTopic, matchTopics } from '../../../lib/topology/topic-patterns.js';

const text = { key: string(), value: string() };
const appOf = (topology: Topology, settings = {}) => defineApp({ applicationId: 'app', topology, settings });

function countByWord(): Topology {
  const builder = new StreamsBuilder();
  const words = builder.stream(/orders-.*/, text).groupBy((_, word) => word);
  words.count({ store: 'counts' }).toStream().mapValues(String, { value: string() }).to('out');
  return builder.build();
}

function reads(topology: Topology, existing: readonly string[], settings = {}): readonly string[] {
  return matchTopics(appOf(topology, settings), existing).topology.subTopologies[0]?.sourceTopics ?? [];
}

describe('a pattern', () => {
  it.each([
    [/orders-.*/, 'orders-dk', true],
    [/orders-.*/, 'my-orders-dk', false],
    [/orders|bills/, 'orders-dk', false],
    [/orders/g, 'orders', true],
    [/ORDERS/i, 'orders', true],
    [/^orders$/, 'orders', true],
  ])('%s is compared with a whole name: %s', (pattern, topic, matches) => {
    expect([matchesTopic(pattern, topic), matchesTopic(pattern, topic)]).toEqual([matches, matches]);
  });

  it('reads the topics that match among those that there are, sorted, and others when it is asked again', () => {
    const app = appOf(countByWord());

    const first = matchTopics(app, ['orders-se', 'bills', 'orders-dk']);
    const second = matchTopics(first, ['orders-no']);

    expect(first.topology.subTopologies[0]?.sourceTopics).toEqual(['orders-dk', 'orders-se']);
    expect(second.topology.subTopologies[0]?.sourceTopics).toEqual(['orders-no']);
    expect(app.topology.subTopologies[0]?.sourceTopics).toEqual([]);
  });

  it("matches neither the application's own topics nor the broker's", () => {
    const builder = new StreamsBuilder();
    builder
      .stream(/.*/, text)
      .groupBy((_, word) => word, { name: 'by-word' })
      .count({ store: 'counts' });
    const settings = { deadLetterTopic: 'dead' };

    const read = reads(
      builder.build(),
      [
        'app-by-word-repartition',
        'app-counts-changelog',
        'app-old-store-changelog',
        'app-KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000012-topic',
        '__consumer_offsets',
        '__transaction_state',
        'dead',
        'app-orders',
        'other-counts-changelog',
      ],
      settings,
    );

    expect(read).toEqual(['app-orders', 'other-counts-changelog']);
  });

  it('is described as Kafka Streams does, before and after it was matched', () => {
    const app = appOf(countByWord());
    const line = 'Source: KSTREAM-SOURCE-0000000000 (topics: orders-.*)';

    expect(app.topology.describe()).toContain(line);
    expect(matchTopics(app, ['orders-dk']).topology.describe()).toBe(app.topology.describe());
  });

  it('is read once by two streams of the builder', () => {
    const builder = new StreamsBuilder();
    builder.stream(/orders-.*/, text).to('one');
    builder.stream(/orders-.*/, text).to('two');

    expect(builder.build().subTopologies).toHaveLength(1);
    expect(() => builder.stream(/orders-.*/, { key: string(), value: json<object>() })).toThrow(
      'two streams read /orders-.*/ with different value',
    );
  });
});

describe('tasks of a pattern', () => {
  it('are as many as the greatest of its topics has partitions; each reads its partition of those that have it', () => {
    const counts = new Map([
      ['orders-dk', 1],
      ['orders-se', 3],
    ]);
    const app = matchTopics(appOf(countByWord()), counts.keys());

    const { tasks, repartitionTopics, changelogTopics } = resolvePartitions(app, counts);

    expect(tasks.filter(({ subTopology }) => subTopology === 0).map(({ inputs }) => inputs)).toEqual([
      [
        { topic: 'orders-dk', partition: 0 },
        { topic: 'orders-se', partition: 0 },
      ],
      [{ topic: 'orders-se', partition: 1 }],
      [{ topic: 'orders-se', partition: 2 }],
    ]);
    expect([...repartitionTopics.values(), ...changelogTopics.values()]).toEqual([3, 3]);
  });

  it('are none while no topic matches, and so is what lies behind them', () => {
    const app = matchTopics(appOf(countByWord()), ['bills']);

    const resolved = resolvePartitions(app, new Map([['bills', 4]]));

    expect(resolved.tasks).toEqual([]);
    expect(internalTopicSpecs(app, resolved)).toEqual([]);
  });

  it('leave those of other sources alone while no topic matches', () => {
    const builder = new StreamsBuilder();
    builder.stream(/orders-.*/, text).to('out');
    builder.stream('bills', text).to('out');
    const app = matchTopics(appOf(builder.build()), []);

    expect(resolvePartitions(app, new Map([['bills', 2]])).tasks.map(({ taskId }) => taskId)).toEqual(['1_0', '1_1']);
  });

  it('need one partition count where they are joined', () => {
    const builder = new StreamsBuilder();
    const customers = builder.table('customers', text);
    builder
      .stream(/orders-.*/, text)
      .join(customers, { joiner: (order, customer) => `${order}${customer}` })
      .to('out');
    const app = appOf(builder.build());
    const resolve = (orders: number) => {
      const counts = new Map([
        ['customers', 2],
        ['orders-dk', 2],
        ['orders-se', orders],
      ]);
      return resolvePartitions(matchTopics(app, counts.keys()), counts).tasks.length;
    };

    expect(resolve(2)).toBe(2);
    expect(() => resolve(3)).toThrow(
      'joined topics need one number of partitions: customers has 2, orders-dk has 2, orders-se has 3',
    );
  });
});

describe('the test driver', () => {
  it('has the topics that it is given', async () => {
    const driver = await TopologyTestDriver.start(appOf(countByWord()), {
      topics: ['orders-dk'],
      partitions: { 'orders-se': 2 },
    });

    await driver.pipeInput('orders-dk', { key: 'k', value: 'x' });
    await driver.pipeInput('orders-se', { key: 'k', value: 'x', partition: 1 });

    expect(driver.readOutputs('out').map(({ value }) => value)).toEqual(['1', '2']);
    await expect(driver.pipeInput('bills', { key: 'k', value: 'x' })).rejects.toThrow(
      'no source of the topology reads',
    );
    await driver.close();
  });
});

describe('a pattern is refused', () => {
  const refusals: [string, () => unknown, string][] = [
    [
      'where it matches a topic that another source names',
      () =>
        new TopologyBuilder()
          .addSource('a', 'orders-dk', text)
          .addSource('b', /orders-.*/, text)
          .build(),
      "the pattern of source 'b' matches topic 'orders-dk' of source 'a'",
    ],
    [
      'where a source names a topic that it matches',
      () =>
        new TopologyBuilder()
          .addSource('a', /orders-.*/, text)
          .addSource('b', 'orders-dk', text)
          .build(),
      "the pattern of source 'a' matches topic 'orders-dk' of source 'b'",
    ],
    [
      'where another source has it',
      () => new TopologyBuilder().addSource('a', /orders-.*/, text).addSource('b', /orders-.*/g, text),
      "the pattern of source 'b' is already read by source 'a'",
    ],
    [
      'where it matches the topic of a global table',
      () => {
        const builder = new StreamsBuilder();
        builder.globalTable('orders-all', text);
        builder.stream(/orders-.*/, text);
        return builder.build();
      },
      "matches topic 'orders-all'",
    ],
    [
      'where a topic matches two of them, once there is one',
      () => {
        const builder = new StreamsBuilder();
        builder.stream(/orders-.*/, text);
        builder.stream(/.*-dk/, text);
        return matchTopics(appOf(builder.build()), ['orders-se', 'orders-dk']);
      },
      "topic 'orders-dk' is matched by the patterns of two sources",
    ],
    [
      'by a table',
      () => new StreamsBuilder().table(/orders-.*/ as never, text),
      'a table reads one topic, not /orders-.*/',
    ],
    [
      'by a global table',
      () => new StreamsBuilder().globalTable(/orders-.*/ as never, text),
      'a global table reads one topic, not /orders-.*/',
    ],
  ];
  it.each(refusals)('%s', (_, build, message) => {
    expect(build).toThrow(TopologyError);
    expect(build).toThrow(message);
  });
});
