/** What global tables and stores infer, and what they refuse. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import {
  type GlobalKTable,
  json,
  type KStream,
  keyValueStore,
  long,
  StreamRecord,
  StreamsBuilder,
  string,
  TopologyBuilder,
} from '../../lib/index.js';

interface Order {
  readonly customerId: number;
  readonly amount: number;
}
interface Customer {
  readonly name: string;
}

const builder = new StreamsBuilder();
const orders = builder.stream('orders', { key: string(), value: json<Order>() });
const customers = builder.globalTable('customers', { key: long(), value: json<Customer>(), store: 'customers' });
const text = { key: string(), value: string() };
const rates = keyValueStore({ name: 'rates', ...text });

expectTypeOf(customers).toEqualTypeOf<GlobalKTable<number, Customer>>();

// The key of the table is found by a function of the record; the joiner sees both values, and null only where a row may be missing.
expectTypeOf(
  orders.join(customers, {
    foreignKey: (_, { customerId }) => customerId,
    joiner: (order, customer) => ({ ...order, name: customer.name }),
    value: json<Order & Customer>(),
  }),
).toEqualTypeOf<KStream<string, Order & Customer>>();
expectTypeOf(
  orders.leftJoin(customers, {
    foreignKey: async (_, order) => (order.amount > 0 ? order.customerId : null),
    joiner: (order, customer, key) => `${key} ${customer?.name ?? order.customerId}`,
    value: string(),
  }),
).toEqualTypeOf<KStream<string, string>>();
// @ts-expect-error the row may be missing in a left join
orders.leftJoin(customers, { foreignKey: (_, o) => o.customerId, joiner: (_o, c) => c.name, value: string() });
// @ts-expect-error the table's keys are numbers
orders.join(customers, { foreignKey: (key) => key, joiner: (order) => order });
// @ts-expect-error a global table is not joined by the stream's own key
orders.join(customers, { joiner: (order) => order });
// @ts-expect-error a type that changes needs its serde
orders.join(customers, { foreignKey: (_, { customerId }) => customerId, joiner: (order) => order.amount });

// All of a global topic is read, with the records' own timestamps, and the topic is the changelog.
// @ts-expect-error there is no place to begin but the start
builder.globalTable('rates', { ...text, offsetReset: 'latest' });
// @ts-expect-error no extractor is asked
builder.globalTable('rates', { ...text, timestampExtractor: () => 0 });
// @ts-expect-error there is no changelog to switch on
builder.globalTable('rates', { ...text, logged: true });
// @ts-expect-error a table has to be told what its bytes are
builder.globalTable('rates', { key: string() });

// The processor of a global store takes what the topic has, and forwards nothing.
builder.addGlobalStore(rates, 'rates', text, () => ({ process: (record) => void record.value.length }));
builder.addGlobalStore(rates, 'rates', text, () => ({
  // @ts-expect-error the topic's values are text
  process: (record: StreamRecord<string, number>) => void record,
}));
builder.addGlobalStore(rates, 'rates', text, () => ({
  // @ts-expect-error it has no children
  init: (context) => void context.forward(StreamRecord.of({ key: 'a', value: 'b', timestampMs: 0 })),
  process: () => undefined,
}));
// @ts-expect-error both nodes have to be named in the Processor API
new TopologyBuilder().addGlobalStore(rates, { topic: 'rates', ...text }, () => ({ process: () => undefined }));
