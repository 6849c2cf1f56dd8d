/** What joins infer, and what they refuse. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import { json, type KStream, long, StreamsBuilder, string } from '../../lib/index.js';

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
  orders.join(customers, { joiner: (order, customer) => ({ ...order, name: customer.name }) }),
).toEqualTypeOf<KStream<string, { name: string; customer: string; amount: number }>>();
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
