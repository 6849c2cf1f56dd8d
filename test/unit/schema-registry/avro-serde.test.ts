import { describe, expect, it } from 'vitest';
import { avro } from '../../../lib/schema-registry/avro/index.js';
import { schemaRegistry } from '../../../lib/schema-registry/index.js';
import { MemoryRegistry } from '../../support/schema-registry/memory-registry.js';
import { read, written } from '../../support/schema-registry/round-trip.js';

interface Order {
  readonly id: string;
  readonly amount: number;
}
const orderSchema = {
  type: 'record',
  name: 'Order',
  namespace: 'shop',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'amount', type: 'long' },
  ],
};
const evolvedSchema = {
  ...orderSchema,
  fields: [...orderSchema.fields, { name: 'note', type: ['null', 'string'], default: null }],
};

describe('a value of an Avro schema', () => {
  it('is a zero byte, the id of the schema and Avro', async () => {
    const order = avro<Order>({ registry: schemaRegistry({ client: new MemoryRegistry() }), schema: orderSchema });

    const bytes = await written(order, { id: 'a7', amount: 3 });

    expect([...bytes]).toEqual([0, 0, 0, 0, 1, 4, 0x61, 0x37, 6]);
    expect(await read(order, bytes)).toEqual({ id: 'a7', amount: 3 });
  });

  it('is read by a newer version of its schema, and by an older one', async () => {
    const registry = schemaRegistry({ client: new MemoryRegistry() });
    const older = avro<Order>({ registry, schema: orderSchema });
    const newer = avro<Order & { note: string | null }>({ registry, schema: evolvedSchema });

    const old = await written(older, { id: 'a', amount: 1 });
    const young = await written(newer, { id: 'b', amount: 2, note: 'soon' });

    expect(await read(newer, old)).toEqual({ id: 'a', amount: 1, note: null });
    expect(await read(older, young)).toEqual({ id: 'b', amount: 2 });
  });

  it('is unreadable if its schema is another record, time after time', async () => {
    const registry = schemaRegistry({ client: new MemoryRegistry() });
    const other = avro<{ n: number }>({
      registry,
      schema: { type: 'record', name: 'Other', fields: [{ name: 'n', type: 'int' }] },
    });
    const order = avro<Order>({ registry, schema: orderSchema });
    const bytes = await written(other, { n: 1 });

    await expect(read(order, bytes)).rejects.toThrow('schema 1 can not be read');
    await expect(read(order, bytes)).rejects.toThrow('schema 1 can not be read');
  });

  it('is refused if it does not fit, by the name of the field', async () => {
    const order = avro<{ id: unknown; amount: unknown }>({
      registry: schemaRegistry({ client: new MemoryRegistry() }),
      schema: orderSchema,
    });

    await expect(written(order, { id: 7, amount: 1 })).rejects.toThrow('7');
    await expect(written(order, { id: 'a', amount: 2 ** 60 })).rejects.toThrow('long');
  });

  it('may be plain bytes, written without their length as by Confluent', async () => {
    const blob = avro<Uint8Array>({ registry: schemaRegistry({ client: new MemoryRegistry() }), schema: 'bytes' });

    const bytes = await written(blob, Buffer.of(9, 8, 7));

    expect([...bytes]).toEqual([0, 0, 0, 0, 1, 9, 8, 7]);
    expect(await read(blob, bytes)).toEqual(Buffer.of(9, 8, 7));
  });

  it('may refer to records of other subjects, which readers find in the registry', async () => {
    const client = new MemoryRegistry();
    const money = { type: 'record', name: 'Money', namespace: 'shop', fields: [{ name: 'cents', type: 'long' }] };
    await client.register('money', { schema: JSON.stringify(money), schemaType: 'AVRO' });
    const schema = {
      type: 'record',
      name: 'Bill',
      namespace: 'shop',
      fields: [{ name: 'total', type: 'shop.Money' }],
    };
    const references = [{ name: 'shop.Money', subject: 'money', version: 1, schema: JSON.stringify(money) }];
    const bill = avro<{ total: { cents: number } }>({ registry: schemaRegistry({ client }), schema, references });
    const elsewhere = avro<{ total: { cents: number } }>({
      registry: schemaRegistry({ client }),
      schema: { ...schema, doc: 'of another program' },
      references,
    });

    const bytes = await written(bill, { total: { cents: 5 } });

    expect(await read(elsewhere, bytes)).toEqual({ total: { cents: 5 } });
    expect(client.requests).toContain('version money 1');
  });

  it('that is no schema is refused when the serde is made', () => {
    const registry = schemaRegistry({ client: new MemoryRegistry() });

    expect(() => avro({ registry, schema: { type: 'record', name: 'Order' } })).toThrow('the Avro schema is none');
  });
});
