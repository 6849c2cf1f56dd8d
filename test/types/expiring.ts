/** Where entries may end by themselves, and where not. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import { json, type KTable, keyValueStore, long, StreamsBuilder, string, tumbling } from '../../lib/index.js';

const builder = new StreamsBuilder();
const text = { key: string(), value: string() };
const stream = builder.stream('in', text);
const table = builder.table('rows', { ...text, ttl: '1h' });

keyValueStore({ name: 'seen', ...text, ttl: 60_000 });
expectTypeOf(table).toEqualTypeOf<KTable<string, string>>();
expectTypeOf(stream.toTable({ ttl: '1d' })).toEqualTypeOf<KTable<string, string>>();
expectTypeOf(stream.groupByKey().count({ ttl: '1d', store: 'counts' })).toEqualTypeOf<KTable<string, number>>();
stream.groupByKey().aggregate({ init: () => 0, add: (_key, _value, sum) => sum + 1, value: long(), ttl: '30m' });

// @ts-expect-error a length needs a unit
keyValueStore({ name: 'seen', ...text, ttl: '1' });
// @ts-expect-error a table made of a table follows it
table.filter(() => true, { store: 'filtered', ttl: '1h' });
// @ts-expect-error so does one that is made of two
table.join(table, { joiner: (a, b) => a + b, ttl: '1h' });
// @ts-expect-error what is subtracted later has to be there
table.groupBy((key, value) => [value, key]).count({ ttl: '1h' });
const windowed = stream.groupByKey().windowedBy(tumbling({ size: '1m' }));
// @ts-expect-error windows are kept for their retention
windowed.count({ ttl: '1h' });
// @ts-expect-error a global table holds what its topic says
builder.globalTable('rates', { key: string(), value: json<number>(), ttl: '1h' });
