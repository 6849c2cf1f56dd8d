import { MockClient } from '@confluentinc/schemaregistry';
import { describe, expect, it } from 'vitest';
import {
  defineApp,
  json,
  type KeyValueStore,
  long,
  StreamsBuilder,
  string,
  tumbling,
  untilTimeLimit,
} from '../../../lib/index.js';
import type { Offset } from '../../../lib/model/offset.js';
import { RecordSet } from '../../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { taskId } from '../../../lib/model/task-id.js';
import { avro } from '../../../lib/schema-registry/avro/index.js';
import { schemaRegistry } from '../../../lib/schema-registry/index.js';
import { createStores } from '../../../lib/state/create-stores.js';
import { createStreamTask } from '../../../lib/task/create-task.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';
import { MemoryRegistry } from '../../support/schema-registry/memory-registry.js';
import { written } from '../../support/schema-registry/round-trip.js';

interface Order {
  readonly customer: string;
  readonly amount: number;
}
const recordOf = (name: string, ...fields: readonly (readonly [string, unknown])[]) => ({
  type: 'record',
  name,
  namespace: 'shop',
  fields: fields.map(([field, type]) => ({ name: field, type })),
});
const orderSchema = recordOf('Order', ['customer', 'string'], ['amount', 'double']);
const totalSchema = recordOf('Total', ['sum', 'double']);
const customerSchema = recordOf('Customer', ['id', 'string']);

/** Orders to totals by customer: a repartition topic, a store with its changelog, an output, keys of a registry throughout. */
function totals(client: MemoryRegistry, settings: object = {}) {
  const registry = schemaRegistry({ client });
  const order = avro<Order>({ registry, schema: orderSchema });
  const customer = avro<{ id: string }>({ registry, schema: customerSchema });
  const total = avro<{ sum: number }>({ registry, schema: totalSchema });
  const builder = new StreamsBuilder();
  builder
    .stream('orders', { key: string(), value: order })
    .groupBy((_, { customer: id }) => ({ id }), { key: customer, name: 'by-customer' })
    .aggregate({
      init: () => ({ sum: 0 }),
      add: (_, { amount }, { sum }) => ({ sum: sum + amount }),
      value: total,
      store: 'totals',
    })
    .toStream()
    .to('totals-out');
  return { app: defineApp({ applicationId: 'app', topology: builder.build(), settings }), order, customer, total };
}

describe('a topology whose serdes ask a registry', () => {
  it('registers its schemas under the names of all topics, internal ones too, before it begins', async () => {
    const client = new MemoryRegistry();

    await TopologyTestDriver.start(totals(client).app);

    expect(client.subjects).toEqual([
      'app-by-customer-repartition-key',
      'app-by-customer-repartition-value',
      'app-totals-changelog-key',
      'app-totals-changelog-value',
      'totals-out-key',
      'totals-out-value',
    ]);
  });

  it('finds what it has written, by keys of the registry too', async () => {
    const { app, customer, total } = totals(new MemoryRegistry());
    const driver = await TopologyTestDriver.start(app);

    await driver.pipeInput('orders', { key: 'k', value: { customer: 'ada', amount: 2 } });
    await driver.pipeInput('orders', { key: 'k', value: { customer: 'bob', amount: 5 } });
    await driver.pipeInput('orders', { key: 'k', value: { customer: 'ada', amount: 3 } });

    const out = driver.readOutputs('totals-out', { key: customer, value: total });
    expect(out.map(({ key, value }) => [key.id, value.sum])).toEqual([
      ['ada', 2],
      ['bob', 5],
      ['ada', 5],
    ]);
    const store = driver.getStore<KeyValueStore<{ id: string }, { value: { sum: number } }>>('totals');
    expect((await store.get({ id: 'ada' }))?.value).toEqual({ sum: 5 });
    expect(driver.readOutputs('app-totals-changelog')).toHaveLength(3);
  });

  it('reads records of schemas that it has never seen, each looked up once', async () => {
    const client = new MemoryRegistry();
    const { app } = totals(client);
    const newer = avro<Order & { note: string }>({
      registry: schemaRegistry({ client }),
      schema: recordOf('Order', ['customer', 'string'], ['amount', 'double'], ['note', 'string']),
    });
    const bytes = await written(newer, { customer: 'ada', amount: 1, note: 'n' });
    const driver = await TopologyTestDriver.start(app);

    await driver.pipeRaw('orders', null, bytes, 0);
    await driver.pipeRaw('orders', null, bytes, 1);

    expect(driver.readOutputs('totals-out').map(({ value }) => value)).toEqual([{ sum: 1 }, { sum: 2 }]);
    expect(client.requests.filter((request) => request.startsWith('id '))).toEqual(['id 1']);
  });

  it('lets the handler decide about a record whose schema nobody knows', async () => {
    const bytes = Buffer.of(0, 0, 0, 0, 99, 1);
    const strict = await TopologyTestDriver.start(totals(new MemoryRegistry()).app);
    const lenient = await TopologyTestDriver.start(
      totals(new MemoryRegistry(), { deserializationExceptionHandler: 'continue' }).app,
    );

    await expect(strict.pipeRaw('orders', null, bytes, 0)).rejects.toMatchObject({
      code: 'STREAMS_DESERIALIZATION_FAILED',
      message: expect.stringContaining('the registry has no schema 99'),
    });
    await lenient.pipeRaw('orders', null, bytes, 0);
    expect(lenient.readOutputs('totals-out')).toEqual([]);
  });

  it('is not begun, and takes no record, while the registry is away: a passing error that no handler sees', async () => {
    const client = new MemoryRegistry();
    const { app } = totals(client, { deserializationExceptionHandler: 'continue' });
    const foreign = await written(
      avro<Order>({ registry: schemaRegistry({ client }), schema: { ...orderSchema, doc: 'of others' } }),
      { customer: 'ada', amount: 1 },
    );
    client.failure = new Error('connect ECONNREFUSED');
    await expect(TopologyTestDriver.start(app)).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
    client.failure = null;
    const driver = await TopologyTestDriver.start(app);
    await driver.pipeInput('orders', { key: 'k', value: { customer: 'ada', amount: 1 } });

    client.failure = new Error('connect ECONNREFUSED');
    await expect(driver.pipeRaw('orders', null, foreign, 0)).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
  });

  it('registers a schema for topics that records choose when one is first chosen', async () => {
    const client = new MemoryRegistry();
    const registry = schemaRegistry({ client });
    const order = avro<Order>({ registry, schema: orderSchema });
    const builder = new StreamsBuilder();
    builder
      .stream('orders', { key: string(), value: order })
      .to(({ value }) => `orders-of-${(value as Order).customer}`);
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
    expect(client.subjects).toEqual([]);

    await driver.pipeInput('orders', { key: 'k', value: { customer: 'ada', amount: 1 } });
    await driver.pipeInput('orders', { key: 'k', value: { customer: 'bob', amount: 2 } });
    await driver.pipeInput('orders', { key: 'k', value: { customer: 'ada', amount: 3 } });

    expect(client.subjects).toEqual(['orders-of-ada-value', 'orders-of-bob-value', 'orders-value']);
    expect(driver.readOutputs('orders-of-ada', { key: string(), value: order })).toHaveLength(2);
    expect(client.requests.filter((request) => request === 'register orders-of-ada-value')).toHaveLength(1);
  });

  it('reads windowed keys and joined records of the registry', async () => {
    const registry = schemaRegistry({ client: new MemoryRegistry() });
    const customer = avro<{ id: string }>({ registry, schema: customerSchema });
    const order = avro<Order>({ registry, schema: orderSchema });
    const builder = new StreamsBuilder();
    const orders = builder.stream('orders', { key: customer, value: order });
    orders
      .groupByKey()
      .windowedBy(tumbling({ size: '1m' }))
      .count({ store: 'counts' })
      .toStream()
      .map(({ key, window }, count) => [`${key.id}@${window.startMs}`, count], { key: string(), value: long() })
      .to('counted');
    orders
      .leftJoin(builder.stream('notes', { key: customer, value: order }), {
        within: '1m',
        joiner: (left: Order, right: Order | null) => `${left.amount}+${right?.amount ?? 0}`,
        value: json<string>(),
      })
      .to('joined');
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));

    await driver.pipeInput('orders', { key: { id: 'ada' }, value: { customer: 'ada', amount: 1 }, timestampMs: 0 });
    await driver.pipeInput('notes', { key: { id: 'ada' }, value: { customer: 'ada', amount: 7 }, timestampMs: 5 });
    await driver.pipeInput('orders', { key: { id: 'bob' }, value: { customer: 'bob', amount: 2 }, timestampMs: 10 });
    await driver.pipeInput('orders', {
      key: { id: 'ada' },
      value: { customer: 'ada', amount: 3 },
      timestampMs: 400_000,
    });

    expect(driver.readOutputs('counted').map(({ key, value }) => [key, value])).toEqual([
      ['ada@0', 1],
      ['bob@0', 1],
      ['ada@360000', 1],
    ]);
    expect(driver.readOutputs('joined').map(({ value }) => value)).toEqual(['1+7', '2+0']);
  });

  it('joins by foreign keys, holds updates back and lets records wait for rows', async () => {
    const client = new MemoryRegistry();
    const registry = schemaRegistry({ client });
    const customer = avro<{ id: string }>({ registry, schema: customerSchema });
    const order = avro<Order>({ registry, schema: orderSchema });
    const total = avro<{ sum: number }>({ registry, schema: totalSchema });
    const builder = new StreamsBuilder();
    const totalsOf = builder.table('totals', { key: customer, value: total, store: 'totals', historyRetention: '1h' });
    builder
      .table('orders', { key: customer, value: order })
      .join(totalsOf, {
        foreignKey: (of: Order) => ({ id: of.customer }),
        joiner: (of: Order, { sum }: { sum: number }) => `${of.amount} of ${sum}`,
        value: string(),
      })
      .toStream()
      .to('joined');
    builder
      .table('held', { key: customer, value: total, store: 'held' })
      .suppress(untilTimeLimit('1m'))
      .toStream()
      .to('let-go');
    builder
      .stream('visits', { key: customer, value: order })
      .join(totalsOf, {
        grace: '1m',
        joiner: (of: Order, { sum }: { sum: number }) => `${of.amount} at ${sum}`,
        value: string(),
      })
      .to('visited');
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
    const ada = { id: 'ada' };

    await driver.pipeInput('totals', { key: ada, value: { sum: 9 }, timestampMs: 0 });
    await driver.pipeInput('orders', { key: { id: 'o' }, value: { customer: 'ada', amount: 4 }, timestampMs: 0 });
    await driver.pipeInput('held', { key: ada, value: { sum: 1 }, timestampMs: 0 });
    await driver.pipeInput('held', { key: ada, value: { sum: 2 }, timestampMs: 60_000 });
    await driver.pipeInput('visits', { key: ada, value: { customer: 'ada', amount: 3 }, timestampMs: 1 });
    await driver.pipeInput('visits', { key: ada, value: { customer: 'ada', amount: 5 }, timestampMs: 90_000 });

    expect(driver.readOutputs('joined').map(({ value }) => value)).toEqual(['4 of 9']);
    expect(driver.readOutputs('let-go').map(({ value }) => value)).toEqual([{ sum: 2 }]);
    expect(driver.readOutputs('visited').map(({ value }) => value)).toEqual(['3 at 9']);
    expect(client.subjects).toContainEqual(expect.stringMatching(/SUBSCRIPTION-REGISTRATION-\d+-topic-pk-key$/));
    expect(client.subjects).toContainEqual(expect.stringMatching(/SUPPRESS-STATE-STORE-\d+-changelog-value$/));
    expect(client.subjects).toContainEqual(expect.stringMatching(/-Buffer-changelog-key$/));
  });
});

describe('a task whose serdes ask a registry', () => {
  const start = (client: MemoryRegistry, stores: ReturnType<typeof storesOf>) => {
    const { app } = totals(client);
    return createStreamTask({
      app,
      taskId: taskId(1, 0),
      partitionCounts: new Map([['totals-out', 1]]),
      stores,
      committed: new Map(),
      nowMs: 0,
    });
  };
  const storesOf = (client: MemoryRegistry) => createStores(totals(client).app.topology.stores.values());

  it('looks up what its stores hold from runs before, so that their rows are read at once', async () => {
    const client = new MemoryRegistry();
    await client.register('unrelated', { schema: '"string"' });
    const stores = storesOf(client);
    const older = avro<{ sum: number; was: string }>({
      registry: schemaRegistry({ client }),
      schema: recordOf('Total', ['sum', 'double'], ['was', 'string']),
    });
    const { customer } = totals(client);
    const key = (await written(customer, { id: 'ada' })).toString('latin1');
    const value = await written(older, { sum: 40, was: 'old' });
    stores.get('totals')?.restore({ key: key as never, value, timestampMs: 0 });
    const task = start(client, stores);

    await task.init();
    const { order } = totals(client);
    const records = new RecordSetBuilder();
    records.append(
      await written(customer, { id: 'ada' }),
      await written(order, { customer: 'ada', amount: 2 }),
      0,
      [],
      0,
    );
    const topic = 'app-by-customer-repartition';
    const [nextOffset, endOffset] = [1 as Offset, 1 as Offset];
    task.addRecords({ topic, partition: 0, records: records.build(), nextOffset, endOffset });
    await task.process(0, 10);
    const output = await task.seal();

    const [changed] = [...output.changelogs.values()].flatMap((set) => [...set]);
    expect(Buffer.from(changed?.value ?? []).readDoubleLE(5)).toBe(42);
    expect(client.requests.filter((request) => request.startsWith('id '))).toEqual(['id 3', 'id 5']);
  });

  it('processes without a promise once it knows the schemas', async () => {
    const client = new MemoryRegistry();
    const task = start(client, storesOf(client));
    await task.init();
    const { customer, order } = totals(client);
    const key = await written(customer, { id: 'ada' });
    const value = await written(order, { customer: 'ada', amount: 2 });
    const topic = 'app-by-customer-repartition';
    const give = (offset: number) => {
      const records = new RecordSetBuilder();
      records.append(key, value, 0, [], offset);
      const nextOffset = (offset + 1) as Offset;
      task.addRecords({ topic, partition: 0, records: records.build(), nextOffset, endOffset: nextOffset });
    };

    give(0);
    await task.process(0, 1);
    give(1);

    expect(task.process(0, 1)).toBe(1);
    task.addRecords({ topic, partition: 0, records: RecordSet.EMPTY, nextOffset: 2 as Offset, endOffset: 2 as Offset });
    expect(task.process(0, 1)).toBe(0);
  });
});

describe("the library's own MockClient, which has another id of a schema for each subject", () => {
  /** Rows of `names` found by the orders' keys, both Avro. */
  async function joined(subjectNames: 'topic' | 'record'): Promise<readonly unknown[]> {
    const registry = schemaRegistry({ client: new MockClient({ baseURLs: ['mock://'] }), subjectNames });
    const key = avro<{ id: string }>({ registry, schema: customerSchema });
    const builder = new StreamsBuilder();
    const names = builder.table('names', { key, value: string() });
    builder
      .stream('orders', { key, value: string() })
      .join(names, { joiner: (order, name) => `${order} ${name}` })
      .to('out');
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
    await driver.pipeInput('names', { key: { id: 'a' }, value: 'ada' });
    await driver.pipeInput('orders', { key: { id: 'a' }, value: 'order' });
    return driver.readOutputs('out').map(({ value }) => value);
  }

  it('finds rows by equal keys of two topics where subjects are named by the record', async () => {
    expect(await joined('record')).toEqual(['order ada']);
  });

  it('is refused where they are named by the topic, with the way round', async () => {
    await expect(joined('topic')).rejects.toMatchObject({
      code: 'STREAMS_SERIALIZATION_FAILED',
      message: expect.stringContaining('one schema has id 1 under subject'),
      remedy: expect.stringContaining("subjectNames: 'record'"),
    });
  });
});
