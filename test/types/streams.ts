/** What the DSL infers, and what it refuses. Checked by the compiler alone (`npm run test:types`). */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { expectTypeOf } from 'vitest';
import {
  type bytes,
  json,
  type KeyValueStore,
  type KGroupedStream,
  type KGroupedTable,
  type KStream,
  type KTable,
  keyValueStore,
  long,
  nullable,
  type Processor,
  type ProcessorContext,
  type Serde,
  type SerdeType,
  StreamRecord,
  StreamsBuilder,
  string,
} from '../../lib/index.js';

interface Order {
  readonly id: string;
  readonly amount: number;
}
declare const Order: StandardSchemaV1<{ readonly id: string; readonly amount: string }, Order>;

const builder = new StreamsBuilder();
const lines = builder.stream('lines', { key: string(), value: string() });
const orders = builder.stream('orders', { key: string(), value: json(Order) });
const tombstones = builder.stream('rows', { key: string(), value: nullable(string()) });

// Serdes carry their types.
expectTypeOf(json(Order)).toEqualTypeOf<Serde<Order>>();
expectTypeOf(json<{ a: 1 }>()).toEqualTypeOf<Serde<{ a: 1 }>>();
expectTypeOf<SerdeType<ReturnType<typeof bytes>>>().toEqualTypeOf<Uint8Array>();
expectTypeOf(orders).toEqualTypeOf<KStream<string, Order>>();
// @ts-expect-error both serdes are needed
builder.stream('lines', { key: string() });
// @ts-expect-error a table needs them too
builder.table('lines', { value: string() });

// A type that stays needs no serde; the texts and numbers that a function happens to give are widened.
expectTypeOf(lines.mapValues((line) => line.length.toString())).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(lines.mapValues(() => 'one')).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(lines.mapValues(async (line) => line)).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(lines.flatMapValues((line) => line.split(' '))).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(orders.mapValues((order) => ({ ...order, amount: 1 }))).toEqualTypeOf<
  KStream<string, { amount: number; id: string }>
>();

// A type that changes does.
expectTypeOf(lines.mapValues((line) => line.length, { value: long() })).toEqualTypeOf<KStream<string, number>>();
expectTypeOf(lines.mapValues(async (line) => line.length, { value: long() })).toEqualTypeOf<KStream<string, number>>();
// @ts-expect-error a number is no string: the new serde is needed
lines.mapValues((line) => line.length);
// @ts-expect-error nor may it come later
lines.mapValues(async (line) => line.length);
// @ts-expect-error the serde is not that of the result
lines.mapValues((line) => line.length, { value: json<boolean>() });
// @ts-expect-error a missing value is not in the stream's type
lines.mapValues((line) => (line === '' ? null : line));
// @ts-expect-error the new serde is needed
lines.flatMapValues((line) => [line.length]);
// @ts-expect-error the new serde is needed
orders.selectKey((_key, order) => order.amount);
expectTypeOf(orders.selectKey((_key, order) => order.amount, { key: long() })).toEqualTypeOf<KStream<number, Order>>();
expectTypeOf(orders.selectKey((_key, order) => order.id)).toEqualTypeOf<KStream<string, Order>>();

// map and flatMap: key and value each by that rule.
expectTypeOf(orders.map((key, order) => [key, order])).toEqualTypeOf<KStream<string, Order>>();
expectTypeOf(orders.map((key, order) => [key, order.amount], { value: long() })).toEqualTypeOf<
  KStream<string, number>
>();
expectTypeOf(orders.map((_key, order) => [order.amount, order], { key: long() })).toEqualTypeOf<
  KStream<number, Order>
>();
expectTypeOf(orders.flatMap((key, order) => [[order.amount, key]], { key: long(), value: string() })).toEqualTypeOf<
  KStream<number, string>
>();
// @ts-expect-error the value's serde is missing
orders.map((key, order) => [key, order.amount]);
// @ts-expect-error the key's serde is missing
orders.map((_key, order) => [order.amount, order]);
// @ts-expect-error the value's serde is missing
orders.flatMap((key, order) => [[order.amount, key]], { key: long() });

// A predicate may narrow.
expectTypeOf(tombstones.filter((_key, value) => value !== null)).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(lines.filter((_key, value) => value !== '')).toEqualTypeOf<KStream<string, string>>();
// @ts-expect-error a text is no answer
lines.filter((_key, value) => value);

// Groupings drop nulls, infer the key, and ask for its serde where it changes.
expectTypeOf(tombstones.groupByKey()).toEqualTypeOf<KGroupedStream<string, string | null>>();
expectTypeOf(tombstones.groupByKey().reduce((all, line) => all + line)).toEqualTypeOf<KTable<string, string>>();
expectTypeOf(lines.groupBy((_key, word) => word)).toEqualTypeOf<KGroupedStream<string, string>>();
expectTypeOf(orders.groupBy((_key, order) => order.amount, { key: long() })).toEqualTypeOf<
  KGroupedStream<number, Order>
>();
expectTypeOf(lines.groupBy((_key, word) => (word === '' ? null : word))).toEqualTypeOf<
  KGroupedStream<string, string>
>();
// @ts-expect-error the new key's serde is needed
orders.groupBy((_key, order) => order.amount);

// Aggregations.
const counts = lines.groupByKey().count({ store: 'counts' });
expectTypeOf(counts).toEqualTypeOf<KTable<string, number>>();
expectTypeOf(
  orders.groupByKey().aggregate({ init: () => 0, add: (_key, order, total) => total + order.amount, value: long() }),
).toEqualTypeOf<KTable<string, number>>();
expectTypeOf(lines.groupByKey().reduce((all, line) => all + line)).toEqualTypeOf<KTable<string, string>>();
// @ts-expect-error the aggregate's serde is needed
orders.groupByKey().aggregate({ init: () => 0, add: (_key, order, total) => total + order.amount });
// @ts-expect-error the start is not of the serde's type
orders.groupByKey().aggregate({ init: () => '', add: (_key, _order, total) => total, value: long() });
// @ts-expect-error a reducer keeps the type
lines.groupByKey().reduce((all, line) => all.length + line.length);
// @ts-expect-error there is no such option
lines.groupByKey().count({ storeName: 'counts' });

// Tables: rows are there, updates may be deletions.
expectTypeOf(counts.toStream()).toEqualTypeOf<KStream<string, number | null>>();
expectTypeOf(counts.toStream().mapValues((count) => count ?? 0)).toEqualTypeOf<KStream<string, number>>();
expectTypeOf(counts.filter((_key, count) => count > 1)).toEqualTypeOf<KTable<string, number>>();
expectTypeOf(counts.mapValues((count) => `${count}`, { value: string() })).toEqualTypeOf<KTable<string, string>>();
expectTypeOf(counts.mapValues((count) => (count > 1 ? count : null))).toEqualTypeOf<KTable<string, number>>();
expectTypeOf(counts.groupBy((key, count) => [count, key], { key: long(), value: string() })).toEqualTypeOf<
  KGroupedTable<number, string>
>();
// @ts-expect-error the new serde is needed
counts.mapValues((count) => `${count}`);
// @ts-expect-error an update may be a deletion
counts.toStream().mapValues((count) => count + 1);
// @ts-expect-error both serdes are needed
counts.groupBy((key, count) => [count, key]);

// Sinks.
counts.toStream().to('counts');
counts.toStream().to('counts', { key: string(), value: long() });
lines.to((record) => {
  expectTypeOf(record).toEqualTypeOf<StreamRecord<string, string>>();
  return `${record.key}-lines`;
});
// @ts-expect-error the serde is not that of the stream
lines.to('lines-out', { value: long() });
// @ts-expect-error the topic has to be named
lines.to();

// Merging and repartitioning keep types.
expectTypeOf(lines.merge(lines.repartition({ partitions: 4 }))).toEqualTypeOf<KStream<string, string>>();
// @ts-expect-error streams of two types
lines.merge(orders);

// Processors: what is forwarded is typed, and gives the stream's type.
class CountWords implements Processor<string, string, string, number> {
  private context: ProcessorContext<string, number> | undefined;
  private store: KeyValueStore<string, number> | undefined;

  init(context: ProcessorContext<string, number>): void {
    this.context = context;
    this.store = context.getStateStore('words');
  }

  async process(record: StreamRecord<string, string>): Promise<void> {
    const count = (await this.store?.get(record.value)) ?? 0;
    await this.context?.forward(record.withKey(record.value).withValue(count + 1));
    // @ts-expect-error the processor forwards numbers
    await this.context?.forward(record);
    // @ts-expect-error and texts as keys
    await this.context?.forward(StreamRecord.of({ key: 1, value: 1, timestampMs: 0 }));
  }
}
builder.addStateStore(keyValueStore({ name: 'words', key: string(), value: long() }));
expectTypeOf(lines.process(() => new CountWords(), { stores: ['words'], key: string(), value: long() })).toEqualTypeOf<
  KStream<string, number>
>();
// @ts-expect-error the serde of what is forwarded is needed
lines.process(() => new CountWords(), { stores: ['words'] });
// @ts-expect-error the processor takes texts
orders.process(() => new CountWords(), { key: string(), value: long() });
