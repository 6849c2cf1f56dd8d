/** What joins infer, and what they refuse. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import { json, type KStream, type KTable, long, nullable, StreamsBuilder, string } from '../../lib/index.js';

interface Order {
  readonly customer: string;
  readonly amount: number;
}
interface Customer {
  readonly name: string;
}

const builder = new StreamsBuilder();
const orders = builder.stream('orders', { key: string(), value: json<Order>() });
const lines = builder.stream('lines', { key: string(), value: string() });
const texts = builder.table('texts', { key: string(), value: string() });
const customers = builder.table('customers', { key: string(), value: json<Customer>() });
const byNumber = builder.table('numbers', { key: long(), value: string() });

// Stream and table: the joiner sees both values, and null only where the row may be missing.
expectTypeOf(lines.join(texts, { joiner: (line, text) => line + text })).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(
  orders.join(customers, { joiner: (order, { name }) => ({ ...order, name }), value: json<Order & Customer>() }),
).toEqualTypeOf<KStream<string, Order & Customer>>();
expectTypeOf(
  orders.join(customers, { joiner: async (order, { name }, key) => `${key} ${name} ${order.amount}`, value: string() }),
).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(
  orders.leftJoin(customers, { joiner: (order, customer) => customer?.name ?? order.customer, value: string() }),
).toEqualTypeOf<KStream<string, string>>();
// @ts-expect-error the row may be missing in a left join
orders.leftJoin(customers, { joiner: (_order, customer) => customer.name, value: string() });
// @ts-expect-error a type that changes needs its serde
orders.join(customers, { joiner: (order) => order.amount });
// @ts-expect-error both sides must have one type of key
lines.join(byNumber, { joiner: (line, text) => line + text });
// @ts-expect-error a joiner is needed
lines.join(texts, {});

// Tables: null from the joiner deletes the row; which side may be missing follows from the kind of join.
expectTypeOf(texts.join(texts, { joiner: (a, b, key) => (key === '' ? null : a + b) })).toEqualTypeOf<
  KTable<string, string>
>();
expectTypeOf(
  texts.join(customers, { joiner: (text, { name }) => text.length + name.length, value: long() }),
).toEqualTypeOf<KTable<string, number>>();
expectTypeOf(texts.leftJoin(customers, { joiner: (text, customer) => customer?.name ?? text })).toEqualTypeOf<
  KTable<string, string>
>();
expectTypeOf(
  texts.outerJoin(customers, { joiner: (text, customer) => customer?.name ?? text ?? '', store: 'names' }),
).toEqualTypeOf<KTable<string, string>>();
// @ts-expect-error the right row may be missing
texts.leftJoin(customers, { joiner: (_text, customer) => customer.name });
// @ts-expect-error the left row may be missing
texts.outerJoin(customers, { joiner: (text) => text.length, value: long() });
// @ts-expect-error a type that changes needs its serde
texts.join(texts, { joiner: (a, b) => a.length + b.length });
// @ts-expect-error tables are joined by one type of key
texts.join(byNumber, { joiner: (a, b) => a + b });
// @ts-expect-error a table is not joined with a stream
texts.join(lines, { joiner: (a, b) => a + b });

// A stream as a table: nulls delete rows, and are no values.
expectTypeOf(builder.stream('rows', { key: string(), value: nullable(string()) }).toTable()).toEqualTypeOf<
  KTable<string, string>
>();

// By foreign key: the function gives the other table's key, and the sides may have keys of different types.
expectTypeOf(
  customers.join(byNumber, {
    foreignKey: (customer) => customer.name.length,
    joiner: ({ name }, text) => name + text,
    value: string(),
  }),
).toEqualTypeOf<KTable<string, string>>();
expectTypeOf(
  texts.leftJoin(customers, {
    foreignKey: (text, key) => (text === '' ? null : key),
    joiner: (text, row) => row?.name ?? text,
  }),
).toEqualTypeOf<KTable<string, string>>();
// @ts-expect-error the foreign key is not of the other table's type
texts.join(byNumber, { foreignKey: (text) => text, joiner: (text, other) => text + other });
// @ts-expect-error the right row may be missing
texts.leftJoin(customers, { foreignKey: (text) => text, joiner: (_text, row) => row.name });
// @ts-expect-error there is no outer join by foreign key
texts.outerJoin(byNumber, { foreignKey: (text: string) => text.length, joiner: (text, other) => `${text}${other}` });
