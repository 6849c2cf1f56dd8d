/** What suppressions take, and what they refuse. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import {
  type KTable,
  StreamsBuilder,
  string,
  tumbling,
  untilTimeLimit,
  untilWindowCloses,
  type Windowed,
} from '../../lib/index.js';

const builder = new StreamsBuilder();
const rows = builder.table('rows', { key: string(), value: string() });
const counts = builder
  .stream('lines', { key: string(), value: string() })
  .groupByKey()
  .windowedBy(tumbling({ size: '5m' }))
  .count();

expectTypeOf(rows.suppress(untilTimeLimit('5m'))).toEqualTypeOf<KTable<string, string>>();
expectTypeOf(counts.suppress(untilWindowCloses({ maxRecords: 1_000 }))).toEqualTypeOf<
  KTable<Windowed<string>, number>
>();
expectTypeOf(counts.suppress(untilTimeLimit('5m', { whenFull: 'shutDown' }))).toEqualTypeOf<
  KTable<Windowed<string>, number>
>();

// @ts-expect-error only windows close
rows.suppress(untilWindowCloses());
// @ts-expect-error a final result can not be given out early
untilWindowCloses({ maxRecords: 1, whenFull: 'emitEarly' });
