import fc from 'fast-check';
import { describe, it } from 'vitest';
import { double, int, long } from '../../../lib/serde/number-serdes.js';
import type { Serde } from '../../../lib/serde/serde.js';
import { boolean, float, short } from '../../../lib/serde/small-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';

function holdsRoundTrip<T>(serde: Serde<T>, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, fc.nat(9), (value, padding) => {
      const bytes = serde.serialize(value);
      const padded = Buffer.concat([Buffer.alloc(padding, 0xff), bytes, Buffer.alloc(padding, 0xff)]);
      const end = padding + bytes.length;
      return (
        Object.is(serde.deserialize(bytes), value) &&
        serde.accepts?.(padded, padding, end) === true &&
        Object.is(serde.deserializeRange?.(padded, padding, end), value)
      );
    }),
  );
}

describe('what was written is read back, alone or inside a larger buffer', () => {
  it('long', () =>
    holdsRoundTrip(
      long(),
      fc.maxSafeInteger().map((value) => value + 0),
    ));
  it('int', () => holdsRoundTrip(int(), fc.integer()));
  it('double', () => holdsRoundTrip(double(), fc.double()));
  it('string', () => holdsRoundTrip(string(), fc.string({ unit: 'binary' })));
  it('boolean', () => holdsRoundTrip(boolean(), fc.boolean()));
  it('short', () => holdsRoundTrip(short(), fc.integer({ min: -0x8000, max: 0x7fff })));
  it('float', () => holdsRoundTrip(float(), fc.float()));
});

describe('accepts promises that reading does not throw', () => {
  for (const [name, serde] of [
    ['long', long()],
    ['int', int()],
    ['double', double()],
    ['boolean', boolean()],
    ['short', short()],
    ['float', float()],
    ['string', string() as Serde<unknown>],
  ] as const) {
    it(`${name}, for any bytes`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 10 }), (given) => {
          const bytes = Buffer.from(given);
          return serde.accepts?.(bytes, 0, bytes.length) === !throws(() => serde.deserialize(bytes));
        }),
      );
    });
  }
});

function throws(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}
