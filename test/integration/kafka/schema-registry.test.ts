/**
 * The serdes of a schema registry against a real one (Apicurio Registry, by Confluent's API), and against Confluent's own serialisers for
 * JavaScript, which write what the JVM's do.
 */
import { SchemaRegistryClient } from '@confluentinc/schemaregistry/dist/schemaregistry-client.js';
import { AvroDeserializer, AvroSerializer } from '@confluentinc/schemaregistry/dist/serde/avro.js';
import { JsonDeserializer, JsonSerializer } from '@confluentinc/schemaregistry/dist/serde/json.js';
import { SerdeType } from '@confluentinc/schemaregistry/dist/serde/serde.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineApp, StreamsBuilder, string } from '../../../lib/index.js';
import { avro } from '../../../lib/schema-registry/avro/index.js';
import { type SchemaRegistry, schemaRegistry } from '../../../lib/schema-registry/index.js';
import { jsonSchema } from '../../../lib/schema-registry/json-schema/index.js';
import { protobuf } from '../../../lib/schema-registry/protobuf/index.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';
import { type Apicurio, startApicurio } from '../../support/schema-registry/apicurio.js';
import { read, written } from '../../support/schema-registry/round-trip.js';

const unionOf = (...types: readonly string[]) => ({ name: 'note', type: types, default: null });
const orderSchema = {
  type: 'record',
  name: 'Order',
  namespace: 'shop',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'cents', type: 'long' },
    { name: 'lines', type: { type: 'array', items: 'string' } },
    { name: 'state', type: { type: 'enum', name: 'State', symbols: ['NEW', 'PAID'] } },
    unionOf('null', 'string'),
  ],
};
interface Order {
  readonly id: string;
  readonly cents: number;
  readonly lines: readonly string[];
  readonly state: string;
  readonly note: string | null;
}
const order: Order = { id: 'ö', cents: 2 ** 40, lines: ['tea', 'cup'], state: 'PAID', note: null };

describe('serdes of a schema registry that runs', () => {
  let apicurio: Apicurio;
  let registry: SchemaRegistry;
  beforeAll(async () => {
    apicurio = await startApicurio();
    registry = fresh();
  });
  afterAll(() => apicurio?.stop());

  /** One that knows nothing yet. */
  const fresh = () => schemaRegistry({ urls: [apicurio.url] });
  const client = () => new SchemaRegistryClient({ baseURLs: [apicurio.url] });

  it('write and read Avro as Confluent does', async () => {
    const ours = avro<Order>({ registry, schema: orderSchema });
    const bytes = await written(ours, order, 'avro-orders');
    const config = { useLatestVersion: true, autoRegisterSchemas: false };
    const theirs = new AvroSerializer(client(), SerdeType.VALUE, config);
    const reader = new AvroDeserializer(client(), SerdeType.VALUE, {});

    expect(await theirs.serialize('avro-orders', order)).toEqual(bytes);
    expect(await reader.deserialize('avro-orders', bytes)).toMatchObject(order);
    expect(await read(avro<Order>({ registry: fresh(), schema: orderSchema }), bytes)).toEqual(order);
  });

  it('write and read JSON Schema as Confluent does', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Order', type: 'object' };
    const ours = jsonSchema<Order>({ registry, schema });
    const bytes = await written(ours, order, 'json-orders');
    const config = { useLatestVersion: true, autoRegisterSchemas: false };
    const theirs = new JsonSerializer(client(), SerdeType.VALUE, config);
    const reader = new JsonDeserializer(client(), SerdeType.VALUE, {});

    expect(await theirs.serialize('json-orders', order)).toEqual(bytes);
    expect(await reader.deserialize('json-orders', bytes)).toEqual(order);
    expect(await read(jsonSchema<Order>({ registry: fresh(), schema }), bytes)).toEqual(order);
  });

  it('write and read Protobuf, of files that import others too', async () => {
    const money = 'syntax = "proto3"; package shop; message Money { int64 cents = 1; }';
    await client().register('money.proto', { schemaType: 'PROTOBUF', schema: money });
    const options = {
      schema: `syntax = "proto3";
        package shop;
        import "money.proto";
        message Other { string name = 1; }
        message Bill { string id = 1; Money total = 2; }`,
      message: 'shop.Bill',
      references: [{ name: 'money.proto', subject: 'money.proto', version: 1, schema: money }],
    };
    const bill = { id: 'b', total: { cents: 7 } };

    const bytes = await written(protobuf({ registry, ...options }), bill, 'bills');

    expect([...bytes.subarray(5)]).toEqual([2, 2, 10, 1, 98, 18, 2, 8, 7]);
    expect(await read(protobuf({ registry: fresh(), ...options }), bytes)).toEqual(bill);
  });

  it('read what an older version of a schema has written, and are refused one that does not go with it', async () => {
    const { fields } = orderSchema;
    const older = { ...orderSchema, fields: fields.slice(0, 4) };
    const bytes = await written(avro<Omit<Order, 'note'>>({ registry, schema: older }), order, 'evolving');
    const newer = avro<Order>({ registry: fresh(), schema: orderSchema });
    await client().updateConfig('evolving-value', { compatibility: 'BACKWARD' as never });
    const clash = { ...orderSchema, fields: [{ name: 'id', type: 'int' }] };

    await written(newer, order, 'evolving');
    expect(await read(newer, bytes)).toEqual(order);
    await expect(written(avro({ registry, schema: clash }), { id: 1 }, 'evolving')).rejects.toMatchObject({
      code: 'STREAMS_SERIALIZATION_FAILED',
      message: expect.stringContaining('evolving-value'),
    });
  });

  it('find one id for a schema under all subjects, and no schema where none is registered', async () => {
    const ours = avro<Order>({ registry, schema: { ...orderSchema, doc: 'once' } });
    const first = await written(ours, order, 'one');
    const second = await written(ours, order, 'two');
    const careful = avro<Order>({ registry: fresh(), schema: { ...orderSchema, doc: 'once' }, autoRegister: false });

    expect(second).toEqual(first);
    expect(await written(careful, order, 'two')).toEqual(first);
    await expect(written(careful, order, 'three')).rejects.toMatchObject({ code: 'STREAMS_SERIALIZATION_FAILED' });
    await expect(read(careful, Buffer.of(0, 127, 0, 0, 0, 1))).rejects.toThrow('the registry has no schema');
  });

  it('carry a topology from topic to topic', async () => {
    const value = avro<Order>({ registry, schema: orderSchema });
    const builder = new StreamsBuilder();
    builder
      .stream('in', { key: string(), value })
      .groupBy((_, { state }) => state)
      .reduce((sum, next) => ({ ...next, cents: sum.cents + next.cents }), { store: 'sums' })
      .toStream()
      .to('out');
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'shop', topology: builder.build() }));

    await driver.pipeInput('in', { key: 'a', value: order });
    await driver.pipeInput('in', { key: 'b', value: order });

    expect(driver.readOutputs('out').map((out) => (out.value as Order).cents)).toEqual([2 ** 40, 2 ** 41]);
    expect(await client().getAllSubjects()).toEqual(
      expect.arrayContaining(['out-value', 'shop-sums-changelog-value', 'shop-sums-repartition-value']),
    );
  });

  it('say that a registry that is not there is away', async () => {
    const nowhere = avro<Order>({ registry: schemaRegistry({ urls: ['http://127.0.0.1:9'] }), schema: orderSchema });

    await expect(written(nowhere, order)).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE', kind: 'transient' });
  });
});
