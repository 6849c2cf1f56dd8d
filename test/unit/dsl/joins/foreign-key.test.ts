import { describe, expect, it } from 'vitest';
import { murmur3 } from '../../../../lib/dsl/foreign-key/murmur3.js';
import { INSTRUCTION, responseSerde, subscriptionSerde } from '../../../../lib/dsl/foreign-key/subscription.js';
import { defineApp, json, StreamsBuilder, string, TopologyError } from '../../../../lib/index.js';
import { Cell } from '../../../../lib/serde/cell.js';
import { TopologyTestDriver } from '../../../../lib/testing/topology-test-driver.js';
import { at, startTask } from '../../task/task-rig.js';

const text = { key: string(), value: string() };
const foreignKey = (value: string) => value.split('|')[0] || null;
const joiner = (order: string, customer: string | null) => `${order}+${customer}`;

function joined(kind: 'join' | 'leftJoin'): StreamsBuilder {
  const builder = new StreamsBuilder();
  const orders = builder.table('orders', text);
  const customers = builder.table('customers', text);
  const options = { foreignKey, joiner, name: 'fk' };
  const table = kind === 'join' ? orders.join(customers, options) : orders.leftJoin(customers, options);
  table.toStream().to('out');
  return builder;
}

async function driverOf(builder: StreamsBuilder): Promise<TopologyTestDriver> {
  const settings = { statestoreCacheMaxBytes: 0 };
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build(), settings }));
}

describe('what the sides tell each other', () => {
  const hash = murmur3(Buffer.from('c1|1'));

  it('is hashed as Kafka Streams hashes values, in blocks and what remains', () => {
    expect(hash.toString('hex')).toBe('c521a983682d99b8c40afb3e99c79357');
    expect(
      new Set(
        ['', 'a', 'a'.repeat(16), 'a'.repeat(17), 'a'.repeat(31)].map((of) => murmur3(Buffer.from(of)).toString('hex')),
      ).size,
    ).toBe(5);
  });

  it('is written in Kafka Streams’ bytes', () => {
    const subscription = {
      instruction: INSTRUCTION.propagateOnlyIfForeignValue,
      hash,
      primaryKey: Cell.of('o1'),
      primaryPartition: 7,
    };
    const response = { hash: null, foreignValue: Cell.of<string | null>('Ann'), primaryPartition: null };

    expect(Buffer.from(subscriptionSerde(string()).serialize(subscription)).toString('hex')).toBe(
      `0103${hash.toString('hex')}6f3100000007`,
    );
    expect(Buffer.from(responseSerde(string()).serialize(response)).toString('hex')).toBe('80416e6e');
  });

  it('is read from subscriptions without hash, and from those before partitions were noted', () => {
    const deleted = subscriptionSerde(string()).deserialize(Buffer.from('81016f3100000007', 'hex'));
    const old = subscriptionSerde(string()).deserialize(Buffer.from('80026f31', 'hex'));

    expect({ ...deleted, primaryKey: deleted.primaryKey.value }).toEqual({
      instruction: INSTRUCTION.deleteKeyAndPropagate,
      hash: null,
      primaryKey: 'o1',
      primaryPartition: 7,
    });
    expect(old).toMatchObject({ instruction: INSTRUCTION.propagateNullIfNoForeignValue, primaryPartition: null });
  });

  it.each(['', '02', '0109', '0102ff', '81016f31'])('is refused where it is damaged: %s', (hex) => {
    expect(() => subscriptionSerde(string()).deserialize(Buffer.from(hex, 'hex'))).toThrow(RangeError);
  });
});

describe('a join by foreign key', () => {
  it('subscribes from the partition that holds the row, and is answered there', async () => {
    const builder = joined('join');
    const partitionCounts = { 'app-fk-subscription-registration-topic': 1, out: 1 };
    const { task, give, commit } = await startTask(builder, { partition: 2, partitionCounts });
    give('orders', [{ key: 'o1', value: 'c1|1' }]);
    give('app-fk-subscription-response-topic', []);

    await task.process(0, 10);
    const [sent] = (await commit()).outputs.get(at('app-fk-subscription-registration-topic')) ?? [];

    const subscription = subscriptionSerde(string()).deserialize(sent?.value ?? new Uint8Array());
    expect(subscription.primaryPartition).toBe(2);
    const sink = builder.build().nodes.get('fk-subscription-response-sink');
    expect(sink?.kind === 'sink' && sink.partitioner?.('topic', 'o1', subscription, 4)).toBe(2);
  });

  it('joins a row that names a key after naming none, and deletes the result when it names none again', async () => {
    const driver = await driverOf(joined('join'));
    await driver.pipeInput('customers', { key: 'c1', value: 'Ann' });
    for (const value of ['|1', 'c1|2', '|3', null]) await driver.pipeInput('orders', { key: 'o1', value });

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['c1|2+Ann', null]);
  });

  it('gives null for what is not there, if it is a left join', async () => {
    const driver = await driverOf(joined('leftJoin'));
    for (const value of ['|1', 'c1|2']) await driver.pipeInput('orders', { key: 'o1', value });
    await driver.pipeInput('customers', { key: 'c1', value: 'Ann' });
    await driver.pipeInput('orders', { key: 'o1', value: null });

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual([
      '|1+null',
      'c1|2+null',
      'c1|2+Ann',
      null,
    ]);
  });

  it('knows a row again whose bytes are not those that its serde makes', async () => {
    const builder = new StreamsBuilder();
    const orders = builder.table('orders', { key: string(), value: json<{ customer: string }>() });
    const customers = builder.table('customers', text);
    orders
      .join(customers, {
        foreignKey: async (order) => order.customer,
        joiner: async (order, customer) => `${order.customer}+${customer}`,
        value: string(),
      })
      .toStream()
      .to('out');
    const driver = await driverOf(builder);

    await driver.pipeInput('customers', { key: 'c1', value: 'Ann' });
    await driver.pipeRaw('orders', Buffer.from('o1'), Buffer.from('{ "customer" :  "c1" }'), 1);

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['c1+Ann']);
  });

  it.each([
    ['another key', 'c2|2', [['o1', null]]],
    ['no key', '|2', [['o1', null]]],
    ['the same key', 'c1|2', [['o1', 'c1|2+Ann']]],
  ])('takes back what a row has met that ends as it gets the next one, which names %s', async (_, next, expected) => {
    const builder = new StreamsBuilder();
    const orders = builder.table('orders', { ...text, ttl: 10 });
    orders.join(builder.table('customers', text), { foreignKey, joiner }).toStream().to('out');
    const driver = await driverOf(builder);
    await driver.pipeInput('customers', { key: 'c1', value: 'Ann', timestampMs: 0 });
    await driver.pipeInput('orders', { key: 'o1', value: 'c1|1', timestampMs: 0 });

    await driver.pipeInput('orders', { key: 'o1', value: next, timestampMs: 10 });

    const out = driver.readOutputs('out', text).map(({ key, value }) => [key, value]);
    expect(out).toEqual([['o1', 'c1|1+Ann'], ...expected]);
  });

  it('finds the rows of tables that are partitioned in ways of their own, if it is told how', async () => {
    const toSecond = () => 1;
    const joinedIn = async (options: {
      readonly partitioner?: () => number;
      readonly otherPartitioner?: () => number;
    }) => {
      const builder = new StreamsBuilder();
      const orders = builder.table('orders', text);
      orders
        .join(builder.table('customers', text), { foreignKey, joiner, ...options })
        .toStream()
        .to('out');
      const app = defineApp({ applicationId: 'app', topology: builder.build() });
      const driver = await TopologyTestDriver.start(app, { partitions: 2 });
      for (const key of ['c1', 'c2', 'c3', 'c4'])
        await driver.pipeInput('customers', { key, value: key.toUpperCase(), partition: 1 });
      for (const key of ['o1', 'o2', 'o3', 'o4'])
        await driver.pipeInput('orders', { key, value: `c${key.slice(1)}|`, partition: 1 });
      return driver
        .readOutputs('out', text)
        .map(({ value }) => value)
        .sort();
    };
    const all = ['c1|+C1', 'c2|+C2', 'c3|+C3', 'c4|+C4'];

    expect(await joinedIn({ partitioner: toSecond, otherPartitioner: toSecond })).toEqual(all);
    expect(await joinedIn({ otherPartitioner: toSecond })).toEqual(all); // answers go to the partition that asked
    expect((await joinedIn({ partitioner: toSecond })).length).toBeLessThan(all.length);
    expect(await joinedIn({ partitioner: () => 0, otherPartitioner: toSecond })).toEqual([]);
  });

  it('is refused where it is written as an outer join, or with a foreign key that is no function', () => {
    const builder = new StreamsBuilder();
    const table = builder.table('orders', text);

    expect(() => table.outerJoin(table, { foreignKey, joiner: String } as never)).toThrow(TopologyError);
    expect(() => table.join(table, { foreignKey: 'customer' as never, joiner })).toThrow('function foreignKey');
  });
});
