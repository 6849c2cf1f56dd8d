/** Where a serde may be left out, and where not. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import { json, type KStream, type KTable, long, nullable, StreamsBuilder, string, tumbling } from '../../lib/index.js';

interface Order {
  readonly id: string;
  readonly amount: number;
}
interface Parcel {
  readonly to: { readonly street: string } | null;
  readonly items: readonly { readonly name: string }[];
  note?: string;
}
type Shape = { readonly kind: 'dot'; readonly x: number } | { readonly kind: 'bar'; readonly y: number };
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
interface Tree {
  readonly children: readonly Tree[];
}
declare const mark: unique symbol;
type Checked<T> = T & { readonly [mark]: true };

const builder = new StreamsBuilder();
const orders = builder.stream('orders', { key: string(), value: json<Order>() });
const table = builder.table('order-rows', { key: string(), value: json<Order>() });
const byOrder = builder.stream('by-order', { key: json<Order>(), value: string() });
const parcels = builder.stream('parcels', { key: string(), value: json<Parcel>() });
const shapes = builder.stream('shapes', { key: string(), value: json<Shape>() });
const scored = json<Order & { readonly score: number }>();
const within = '5m';

// A field more is assignable to the old type, and would be lost behind a topic whose serde does not know it.
// @ts-expect-error a field is new
orders.mapValues((order) => ({ ...order, score: 1 }));
// @ts-expect-error though it may be missing
orders.mapValues((order): Order & { score?: number } => order);
// @ts-expect-error and though the function waits
orders.mapValues(async (order) => ({ ...order, score: 1 }));
// @ts-expect-error a field is new
orders.mapValuesAsync(async (order) => ({ ...order, score: 1 }));
// @ts-expect-error a field is new
orders.flatMapValues((order) => [{ ...order, score: 1 }]);
// @ts-expect-error a field is new
orders.map((key, order) => [key, { ...order, score: 1 }]);
// @ts-expect-error a field is new
orders.flatMap((key, order) => [[key, { ...order, score: 1 }]]);
// @ts-expect-error a field of a key is new
byOrder.selectKey((order) => ({ ...order, score: 1 }));
// @ts-expect-error a field of a key is new
byOrder.groupBy((order) => ({ ...order, score: 1 }));
// @ts-expect-error a field is new
table.mapValues((order) => ({ ...order, score: 1 }));
// @ts-expect-error a field is new
table.groupBy((key, order) => [key, { ...order, score: 1 }]);
// @ts-expect-error a field is new
orders.join(table, { joiner: (order, row) => ({ ...order, score: row.amount }) });
// @ts-expect-error a field is new
orders.leftJoin(orders, { within, joiner: (order) => ({ ...order, score: 1 }) });
// @ts-expect-error a field is new
table.outerJoin(table, { joiner: (order) => ({ id: '', amount: 1, ...order, score: 1 }) });
// @ts-expect-error a field is new
table.join(table, { foreignKey: ({ id }) => id, joiner: (order) => ({ ...order, score: 1 }) });
// @ts-expect-error a field of what is forwarded is new
orders.process<string, Order & { readonly score: number }>(() => ({ process: () => undefined }));

// With its serde, it goes on.
expectTypeOf(
  orders
    .mapValues((order) => ({ ...order, score: 1 }), { value: scored })
    .groupByKey()
    .reduce((a) => a),
).toEqualTypeOf<KTable<string, Order & { readonly score: number }>>();
expectTypeOf(orders.join(table, { joiner: (order) => ({ ...order, score: 1 }), value: scored })).toEqualTypeOf<
  KStream<string, Order & { readonly score: number }>
>();

// What has no new fields needs none: the same ones, fewer that may be missing, other values in them.
expectTypeOf(orders.mapValues((order) => ({ ...order, amount: 2 * order.amount }))).toEqualTypeOf<
  KStream<string, { amount: number; id: string }>
>();
expectTypeOf(orders.filter((_, { amount }) => amount > 0).mapValues((order) => order)).toEqualTypeOf<
  KStream<string, Order>
>();
expectTypeOf(orders.process(() => ({ process: () => undefined }))).toEqualTypeOf<KStream<string, Order>>();
orders.join(table, { joiner: (order, row) => ({ ...order, amount: row.amount }) });
parcels.mapValues(() => ({ to: null, items: [] }));
parcels.mapValues(({ items }) => ({ to: { street: '' }, items, note: 'here' }));
orders
  .groupByKey()
  .windowedBy(tumbling({ size: '1m' }))
  .count()
  .toStream()
  .mapValues((count) => (count ?? 0) + 1);

// Fields are looked for in what is within, in lists too.
// @ts-expect-error a field of a field is new
parcels.mapValues((parcel) => ({ ...parcel, to: { street: '', town: '' } }));
// @ts-expect-error a field of an element is new
parcels.mapValues((parcel) => ({ ...parcel, items: [{ name: '', grams: 1 }] }));
builder
  .stream('trees', { key: string(), value: json<Tree>() })
  .mapValues((tree) => ({ children: [tree, { children: [] }] }));

// Unions: those that may be null, and those whose members are told apart.
const rows = builder.stream('rows', { key: string(), value: nullable(json<Order>()) });
expectTypeOf(rows.mapValues((order) => order ?? { id: '', amount: 0 })).toEqualTypeOf<KStream<string, Order>>();
// @ts-expect-error a field is new
rows.mapValues((order) => (order === null ? null : { ...order, score: 1 }));
shapes.mapValues(() => ({ kind: 'dot', x: 1 }));
shapes.mapValues((shape) => (shape.kind === 'dot' ? shape : { kind: 'bar', y: 1 }));
// @ts-expect-error a field is new
shapes.mapValues(() => ({ kind: 'dot', x: 1, z: 1 }));

// Where the old type says nothing of its fields, any may come; symbols are written by no serde.
builder.stream('any', { key: string(), value: json() }).mapValues(() => ({ a: 1 }));
builder.stream('json', { key: string(), value: json<Json>() }).mapValues(() => ({ a: [1, { b: null }] }));
builder
  .stream('records', { key: string(), value: json<Record<string, number>>() })
  .mapValues((all) => ({ ...all, a: 1 }));
orders.mapValues((): Order => JSON.parse('{}'));
orders.mapValues((order) => order as Checked<Order>);

// In a function with type parameters, what stays stays.
export function sameAgain<V extends Order>(stream: KStream<string, V>, others: KTable<string, V>): KStream<string, V> {
  stream.join(others, { joiner: (left) => left });
  stream.map((key, value) => [key, value] as const).mapValues((value) => value);
  stream.groupBy((_, { id }) => id);
  others.mapValues((value): V => ({ ...value, amount: 2 }));
  // @ts-expect-error a field is new
  stream.mapValues((value) => ({ ...value, score: 1 }));
  // @ts-expect-error the type is another
  stream.mapValues(({ amount }) => amount);
  expectTypeOf(stream.mapValues(() => 1, { value: long() })).toEqualTypeOf<KStream<string, number>>();
  return stream.mapValues((value) => value);
}
