import { describe, expect, it } from 'vitest';
import { schemaRegistry } from '../../../lib/schema-registry/index.js';
import { protobuf } from '../../../lib/schema-registry/protobuf/index.js';
import { MemoryRegistry } from '../../support/schema-registry/memory-registry.js';
import { read, written } from '../../support/schema-registry/round-trip.js';

const file = `
syntax = "proto3";
package shop;
message Customer { string name = 1; }
message Order {
  enum State { NEW = 0; PAID = 1; }
  message Line { string item = 1; message Part { int32 n = 1; } }
  message Note { string text = 1; }
  string id = 1;
  int64 total_cents = 2;
  State state = 3;
  repeated Line lines = 4;
  Customer customer = 5;
  map<string, int32> counts = 6;
  bytes seal = 7;
  optional string remark = 8;
  oneof paid_by { string card = 9; string voucher = 10; }
}
`;
const registryOf = (client = new MemoryRegistry()) => schemaRegistry({ client });
const emptyOrder = {
  id: '',
  totalCents: 0,
  state: 'NEW',
  lines: [],
  customer: null,
  counts: {},
  seal: new Uint8Array(),
};

describe('a Protobuf message', () => {
  it('is a zero byte, the id of the file, the path to the message and Protobuf', async () => {
    const registry = registryOf();
    const first = protobuf<{ name: string }>({ registry, schema: file });
    const second = protobuf<{ id: string }>({ registry, schema: file, message: 'shop.Order' });
    const nested = protobuf<{ text: string }>({ registry, schema: file, message: 'Order.Note' });
    const deep = protobuf<{ n: number }>({ registry, schema: file, message: 'Order.Line.Part' });

    // a single 0 for the first message; else how many indexes, and the indexes, as zig-zag varints
    expect([...(await written(first, { name: 'x' }))]).toEqual([0, 0, 0, 0, 1, 0, 10, 1, 0x78]);
    expect([...(await written(second, { id: 'x' }))]).toEqual([0, 0, 0, 0, 1, 2, 2, 10, 1, 0x78]);
    expect([...(await written(nested, { text: 'x' }))]).toEqual([0, 0, 0, 0, 1, 4, 2, 2, 10, 1, 0x78]);
    expect([...(await written(deep, { n: 1 }))]).toEqual([0, 0, 0, 0, 1, 6, 2, 0, 0, 8, 1]);
  });

  it('comes back as it was, enums by name, defaults filled in', async () => {
    const order = protobuf<object>({ registry: registryOf(), schema: file, message: 'Order' });
    const full = {
      id: 'a',
      totalCents: 2 ** 53 - 1,
      state: 'PAID',
      lines: [{ item: 'tea' }, { item: 'cup' }],
      customer: { name: 'Ada' },
      counts: { tea: 2, cup: 1 },
      seal: Uint8Array.of(1, 2),
      remark: '',
      card: 'v',
    };

    expect(await read(order, await written(order, full))).toEqual(full);
    expect(await read(order, await written(order, {}))).toEqual(emptyOrder);
  });

  it('may keep the names of the file', async () => {
    const order = protobuf<object>({ registry: registryOf(), schema: file, message: 'Order', keepCase: true });

    expect(await read(order, await written(order, { total_cents: 5 }))).toMatchObject({ total_cents: 5 });
  });

  it('is refused if it does not fit, by the name of the field', async () => {
    const order = protobuf<object>({ registry: registryOf(), schema: file, message: 'Order' });

    await expect(written(order, { id: 7 })).rejects.toThrow('id: string expected');
    await expect(written(order, { state: 'LOST' })).rejects.toThrow('state: the enum has no LOST');
    await expect(written(order, { lines: [{ item: 1 }] })).rejects.toThrow('item: string expected');
    await expect(written(order, { card: 'a', voucher: 'b' })).rejects.toThrow('paidBy');
  });

  it('is unreadable beyond the numbers that are exact', async () => {
    const registry = registryOf();
    const text = protobuf<object>({ registry, schema: 'syntax = "proto3"; message M { uint64 n = 1; }' });
    const bytes = Buffer.concat([
      await written(text, {}),
      Buffer.of(8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1),
    ]);

    await expect(read(text, bytes)).rejects.toThrow('18446744073709551615 is beyond');
  });

  it('of another kind in the same topic is unreadable', async () => {
    const registry = registryOf();
    const customer = protobuf<object>({ registry, schema: file, message: 'Customer' });
    const order = protobuf<object>({ registry, schema: file, message: 'Order' });

    await expect(read(order, await written(customer, { name: 'x' }))).rejects.toThrow(
      'it is a shop.Customer, not a shop.Order',
    );
  });

  it('is read with another version of its file, wherever the message has moved to', async () => {
    const registry = registryOf();
    const older = protobuf<object>({ registry, schema: file, message: 'Order' });
    const newer = protobuf<object>({
      registry,
      schema: 'syntax = "proto3"; package shop; message Order { string id = 1; int32 extra = 20; }',
    });

    expect(await read(newer, await written(older, { id: 'a', totalCents: 1 }))).toEqual({ id: 'a', extra: 0 });
    expect(await read(older, await written(newer, { id: 'b', extra: 1 }))).toEqual({ ...emptyOrder, id: 'b' });
  });

  it('may import files, those of everybody and those of other subjects', async () => {
    const client = new MemoryRegistry();
    const money = 'syntax = "proto3"; package shop; message Money { int64 cents = 1; }';
    await client.register('money.proto', { schema: money, schemaType: 'PROTOBUF' });
    const bill = protobuf<object>({
      registry: registryOf(client),
      schema: `syntax = "proto3"; package shop; import "money.proto"; import "google/protobuf/timestamp.proto";
        message Bill { Money total = 1; google.protobuf.Timestamp due = 2; }`,
      references: [{ name: 'money.proto', subject: 'money.proto', version: 1, schema: money }],
    });
    const value = { total: { cents: 5 }, due: { seconds: 1_700_000_000, nanos: 5 } };

    const bytes = await written(bill, value);

    expect(bytes[5]).toBe(0);
    expect(await read(bill, bytes)).toEqual(value);
  });

  it('that the file does not have is refused when the serde is made', () => {
    expect(() => protobuf({ registry: registryOf(), schema: file, message: 'Bill' })).toThrow(
      'the Protobuf schema is none',
    );
    expect(() => protobuf({ registry: registryOf(), schema: 'message {' })).toThrow('the Protobuf schema is none');
  });
});
