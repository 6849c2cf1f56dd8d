/** What windowed streams and cogroups infer, and what they refuse. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import {
  calendar,
  hopping,
  json,
  type KStream,
  type KTable,
  long,
  nullable,
  type SessionWindowedKStream,
  StreamsBuilder,
  session,
  sessionWindowedSerde,
  sliding,
  string,
  type TimeWindowedKStream,
  timeWindowedSerde,
  tumbling,
  unlimited,
  type Windowed,
} from '../../lib/index.js';

interface Order {
  readonly amount: number;
}

const builder = new StreamsBuilder();
const orders = builder.stream('orders', { key: string(), value: json<Order>() }).groupByKey();
const rows = builder.stream('rows', { key: string(), value: nullable(string()) }).groupByKey();
const total = {
  init: () => 0,
  add: (_key: string, order: Order, sum: number) => sum + order.amount,
  value: long(),
};

// Each kind of windows leads to what it can do.
expectTypeOf(orders.windowedBy(tumbling({ size: '5m' }))).toEqualTypeOf<TimeWindowedKStream<string, Order>>();
expectTypeOf(orders.windowedBy(hopping({ size: '5m', advance: '1m' }))).toEqualTypeOf<
  TimeWindowedKStream<string, Order>
>();
expectTypeOf(orders.windowedBy(session({ inactivityGap: '5m' }))).toEqualTypeOf<
  SessionWindowedKStream<string, Order>
>();
// @ts-expect-error windows of a name alone are no windows
orders.windowedBy('5m');
// @ts-expect-error hopping windows need an advance
hopping({ size: '5m' });
// @ts-expect-error tumbling windows have none
tumbling({ size: '5m', advance: '1m' });
// @ts-expect-error a length needs a unit
tumbling({ size: '5' });
// @ts-expect-error windows without end never close, so they wait for nobody
unlimited({ grace: '5m' });
// @ts-expect-error nor have they final results
orders.windowedBy(unlimited()).emitStrategy('onWindowClose');
// @ts-expect-error there is no such strategy
orders.windowedBy(tumbling({ size: '5m' })).emitStrategy('sometimes');

// Results are tables of windowed keys, with serdes for their topics.
const counts = orders
  .windowedBy(tumbling({ size: '5m' }))
  .emitStrategy('onWindowClose')
  .count({ retention: '1h' });
expectTypeOf(counts).toEqualTypeOf<KTable<Windowed<string>, number>>();
expectTypeOf(counts.toStream()).toEqualTypeOf<KStream<Windowed<string>, number | null>>();
expectTypeOf(orders.windowedBy(unlimited()).aggregate(total)).toEqualTypeOf<KTable<Windowed<string>, number>>();
counts.toStream().to('counts');
counts.toStream().to('counts', { key: timeWindowedSerde(string(), '5m') });
// @ts-expect-error the keys are windowed
counts.toStream().to('counts', { key: string() });
// @ts-expect-error a plain key is another type: its serde is needed
counts.toStream().selectKey(({ key }) => key);
expectTypeOf(counts.toStream().selectKey(({ key }) => key, { key: string() })).toEqualTypeOf<
  KStream<string, number | null>
>();
expectTypeOf(builder.stream('sessions', { key: sessionWindowedSerde(string()), value: long() })).toEqualTypeOf<
  KStream<Windowed<string>, number>
>();
// @ts-expect-error retention is for windows
orders.count({ retention: '1h' });

// Sessions need a way to become one.
const sessions = orders.windowedBy(session({ inactivityGap: '5m' }));
expectTypeOf(sessions.aggregate({ ...total, merge: (_key, a, b) => a + b })).toEqualTypeOf<
  KTable<Windowed<string>, number>
>();
// @ts-expect-error merge is missing
sessions.aggregate(total);

// Null values come to time windows and sessions, to sliding windows and plain aggregations they do not.
expectTypeOf(rows.windowedBy(tumbling({ size: '5m' }))).toEqualTypeOf<TimeWindowedKStream<string, string | null>>();
expectTypeOf(rows.windowedBy(sliding({ timeDifference: '5m' }))).toEqualTypeOf<TimeWindowedKStream<string, string>>();
expectTypeOf(rows.windowedBy(tumbling({ size: '5m' })).reduce((all, row) => `${all}${row ?? ''}`)).toEqualTypeOf<
  KTable<Windowed<string>, string>
>();
// @ts-expect-error the row may be null
rows.windowedBy(tumbling({ size: '5m' })).reduce((all, row) => all + row.length);

// A cogroup has one key and one aggregate.
const cogroup = orders.cogroup<number>((_key, order, sum) => sum + order.amount);
expectTypeOf(
  cogroup.cogroup(rows, (_key, row, sum) => sum + (row?.length ?? 0)).aggregate({ init: () => 0, value: long() }),
).toEqualTypeOf<KTable<string, number>>();
expectTypeOf(
  cogroup.windowedBy(sliding({ timeDifference: '5m' })).aggregate({ init: () => 0, value: long() }),
).toEqualTypeOf<KTable<Windowed<string>, number>>();
const byAmount = builder.stream('orders', { key: string(), value: json<Order>() }).groupBy((_, { amount }) => amount, {
  key: long(),
});
// @ts-expect-error another key
cogroup.cogroup(byAmount, (_key, order, sum) => sum + order.amount);
// @ts-expect-error another aggregate
cogroup.cogroup(rows, (_key, row) => row);
// @ts-expect-error the aggregate's serde is missing
cogroup.aggregate({ init: () => 0 });
// @ts-expect-error sessions of cogroups are merged too
cogroup.windowedBy(session({ inactivityGap: '5m' })).aggregate({ init: () => 0, value: long() });

// Calendar windows are time windows; only weeks begin on a day of one's choice.
expectTypeOf(orders.windowedBy(calendar('day', { zone: 'Europe/Copenhagen' }))).toEqualTypeOf<
  TimeWindowedKStream<string, Order>
>();
calendar('week', { zone: 'UTC', weekStart: 'sunday', grace: '1h' });
timeWindowedSerde(string(), calendar('month', { zone: 'UTC' }));
// @ts-expect-error whose clocks?
calendar('day', {});
// @ts-expect-error there is no such unit
calendar('fortnight', { zone: 'UTC' });
// @ts-expect-error days do not begin on a weekday
calendar('day', { zone: 'UTC', weekStart: 'sunday' });
