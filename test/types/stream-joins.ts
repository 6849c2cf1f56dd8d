/** What joins of two streams infer, and what they refuse. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import { json, type KStream, long, StreamsBuilder, string } from '../../lib/index.js';

interface Seen {
  readonly page: string;
}
interface Click {
  readonly button: string;
}

const builder = new StreamsBuilder();
const seen = builder.stream('seen', { key: string(), value: json<Seen>() });
const clicks = builder.stream('clicks', { key: string(), value: json<Click>() });
const byNumber = builder.stream('numbers', { key: long(), value: string() });
const within = '5m';

expectTypeOf(
  seen.join(clicks, { within, joiner: ({ page }, { button }, key) => `${key}${page}${button}`, value: string() }),
).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(
  seen.join(clicks, {
    within: { after: '10m' },
    grace: '1m',
    joiner: (left, right) => ({ ...left, ...right }),
    value: json<Seen & Click>(),
  }),
).toEqualTypeOf<KStream<string, Seen & Click>>();
expectTypeOf(
  seen.leftJoin(clicks, { within, joiner: async (left, right) => right?.button ?? left.page, value: string() }),
).toEqualTypeOf<KStream<string, string>>();
expectTypeOf(
  seen.outerJoin(clicks, { within, joiner: (left, right) => left?.page ?? right?.button ?? '', value: string() }),
).toEqualTypeOf<KStream<string, string>>();

// @ts-expect-error in a left join the right side may be missing
seen.leftJoin(clicks, { within, joiner: (_left, right) => right.button, value: string() });
// @ts-expect-error in an outer join the left side may be missing too
seen.outerJoin(clicks, { within, joiner: (left) => left.page, value: string() });
// @ts-expect-error two streams are joined within a window
seen.join(clicks, { joiner: ({ page }) => page, value: string() });
// @ts-expect-error both sides must have one type of key
seen.join(byNumber, { within, joiner: ({ page }: Seen) => page, value: string() });
// @ts-expect-error a type that changes needs its serde
seen.join(clicks, { within, joiner: ({ page }) => page.length });
