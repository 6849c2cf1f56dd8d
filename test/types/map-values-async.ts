/** What a mapping that waits infers and refuses. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import { type KStream, long, StreamsBuilder, string } from '../../lib/index.js';

const stream = new StreamsBuilder().stream('in', { key: string(), value: string() });

expectTypeOf(stream.mapValuesAsync(async (value) => value.trim())).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(
  stream.mapValuesAsync(
    async (value, key, { signal }) => {
      expectTypeOf(key).toEqualTypeOf<string>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return value.length;
    },
    { concurrency: 8, timeout: '2s', retries: 3, value: long(), name: 'lengths' },
  ),
).toEqualTypeOf<KStream<string, number>>();

// @ts-expect-error a value of another type needs a serde
stream.mapValuesAsync(async (value) => value.length);
// @ts-expect-error a length of time needs a unit
stream.mapValuesAsync(async (value) => value, { timeout: '2' });
// @ts-expect-error a number of calls is a number
stream.mapValuesAsync(async (value) => value, { concurrency: 'many' });
