/** Transformers of a table's values, and its updates with new keys. Checked by the compiler alone. */
import { expectTypeOf } from 'vitest';
import { type KStream, type KTable, long, StreamsBuilder, string, type ValueTransformer } from '../../lib/index.js';

const rows = new StreamsBuilder().table('rows', { key: string(), value: string() });

class Lengths implements ValueTransformer<string, string, number> {
  transform(_key: string, value: string | null): number | null {
    return value === null ? null : value.length;
  }
}

expectTypeOf(rows.transformValues(() => new Lengths(), { value: long() })).toEqualTypeOf<KTable<string, number>>();
// @ts-expect-error its serde is needed
rows.transformValues(() => new Lengths(), {});
// @ts-expect-error a serde of another type
rows.transformValues(() => new Lengths(), { value: string() });
rows.transformValues<number>(
  () => ({
    // @ts-expect-error a transformer can not forward
    init: (context) => context.forward,
    transform: () => null,
  }),
  { value: long() },
);

expectTypeOf(rows.toStream((key, value) => `${key}${value}`)).toEqualTypeOf<KStream<string, string | null>>();
expectTypeOf(rows.toStream((key) => key.length, { key: long() })).toEqualTypeOf<KStream<number, string | null>>();
// @ts-expect-error the type of the key changes: its serde is needed
rows.toStream((key) => key.length);

rows.toStream().to((record, { topic, offset }) => `${topic ?? 'none'}-${record.key}-${offset ?? 0}`);
