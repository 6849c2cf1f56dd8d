import { describe, expect, it } from 'vitest';
import { avro } from '../../../lib/schema-registry/avro/index.js';
import { schemaRegistry } from '../../../lib/schema-registry/index.js';
import { protobuf } from '../../../lib/schema-registry/protobuf/index.js';
import { MemoryRegistry, RegistryRefusal } from '../../support/schema-registry/memory-registry.js';
import { read, written } from '../../support/schema-registry/round-trip.js';

const schema = { type: 'record', name: 'Order', namespace: 'shop', fields: [{ name: 'id', type: 'string' }] };
interface Order {
  readonly id: string;
}

describe('what a serde asks of its registry', () => {
  it('is asked once, however much is written and read', async () => {
    const client = new MemoryRegistry();
    const writer = avro<Order>({ registry: schemaRegistry({ client }), schema });
    const reader = avro<Order>({ registry: schemaRegistry({ client }), schema });
    const bytes = await written(writer, { id: 'a' });

    await Promise.all([written(writer, { id: 'b' }), read(reader, bytes), read(reader, bytes)]);
    await read(reader, bytes);

    expect(client.requests).toEqual(['register orders-value', 'id 1']);
    expect(writer.lookups?.forTopic({ topic: 'orders', part: 'value' })).toBeUndefined();
    expect(reader.lookups?.forBytes(bytes, 0, bytes.length)).toBeUndefined();
  });

  it('is not asked to read what the same program has written', async () => {
    const client = new MemoryRegistry();
    const order = avro<Order>({ registry: schemaRegistry({ client }), schema });

    const bytes = await written(order, { id: 'a' });

    expect(order.lookups?.forBytes(bytes, 0, bytes.length)).toBeUndefined();
    expect(order.deserialize(bytes)).toEqual({ id: 'a' });
    expect(client.requests).toEqual(['register orders-value']);
  });

  it('is asked again after it was away, which is a passing error', async () => {
    const client = new MemoryRegistry();
    const writer = avro<Order>({ registry: schemaRegistry({ client }), schema });
    const order = avro<Order>({ registry: schemaRegistry({ client }), schema });
    const bytes = await written(writer, { id: 'a' });
    client.failure = new Error('connect ECONNREFUSED');

    await expect(written(order, { id: 'a' })).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE', kind: 'transient' });
    await expect(read(order, bytes)).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
    client.failure = new RegistryRefusal(503, 'not now');
    await expect(read(order, bytes)).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
    client.failure = null;
    expect(await written(order, { id: 'a' })).toEqual(bytes);
    expect(await read(order, bytes)).toEqual({ id: 'a' });
  });

  it('is not asked again at once for an id that it does not know: reading says so', async () => {
    const client = new MemoryRegistry();
    const order = avro<Order>({ registry: schemaRegistry({ client }), schema });
    const bytes = Buffer.of(0, 0, 0, 0, 77, 2, 0x61);

    await expect(read(order, bytes)).rejects.toThrow('the registry has no schema 77');
    await expect(read(order, bytes)).rejects.toThrow('the registry has no schema 77');

    expect(client.requests).toEqual(['id 77']);
  });

  it('is nothing for bytes without a schema id, which reading refuses', () => {
    const order = avro<Order>({ registry: schemaRegistry({ client: new MemoryRegistry() }), schema });

    for (const bytes of [Buffer.of(), Buffer.of(0, 0, 0, 1), Buffer.from('{"id":"a"}')]) {
      expect(order.lookups?.forBytes(bytes, 0, bytes.length)).toBeUndefined();
      expect(() => order.deserialize(bytes)).toThrow('do not begin with a zero byte');
    }
  });

  it('is refused by name where the schema is of another kind', async () => {
    const registry = schemaRegistry({ client: new MemoryRegistry() });
    const bytes = await written(avro<Order>({ registry, schema }), { id: 'a' });
    const other = protobuf<object>({ registry, schema: 'syntax = "proto3"; message Order { string id = 1; }' });

    await expect(read(other, bytes)).rejects.toThrow('it is a schema of AVRO, not of PROTOBUF');
  });

  it('may be to find a schema, not to register it', async () => {
    const client = new MemoryRegistry();
    const careful = avro<Order>({ registry: schemaRegistry({ client, autoRegister: false }), schema });

    await expect(written(careful, { id: 'a' })).rejects.toMatchObject({
      code: 'STREAMS_SERIALIZATION_FAILED',
      message: expect.stringContaining('orders-value'),
    });
    await written(avro<Order>({ registry: schemaRegistry({ client }), schema }), { id: 'a' });
    expect([...(await written(careful, { id: 'a' }))]).toEqual([0, 0, 0, 0, 1, 2, 0x61]);
  });

  it('names its refusal of a schema', async () => {
    const client = new MemoryRegistry();
    client.failure = new RegistryRefusal(409, 'incompatible');
    const order = avro<Order>({ registry: schemaRegistry({ client }), schema });

    await expect(written(order, { id: 'a' })).rejects.toMatchObject({
      code: 'STREAMS_SERIALIZATION_FAILED',
      kind: 'invalid',
      message: expect.stringContaining('incompatible'),
    });
  });

  it.each([
    ['topic', ['orders-value', 'other-value']],
    ['record', ['shop.Order']],
    ['topicRecord', ['orders-shop.Order', 'other-shop.Order']],
  ] as const)('goes by subjects named by %s', async (subjectNames, subjects) => {
    const client = new MemoryRegistry();
    const order = avro<Order>({ registry: schemaRegistry({ client, subjectNames }), schema });

    await written(order, { id: 'a' });
    await written(order, { id: 'a' }, 'other');

    expect(client.subjects).toEqual(subjects);
  });

  it('needs a name of the record where subjects are named by it', () => {
    const registry = schemaRegistry({ client: new MemoryRegistry(), subjectNames: 'record' });

    expect(() => avro({ registry, schema: 'string' })).toThrow("subjects by 'record' need the name of a record");
  });
});
