import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeserializationError } from '../../../lib/model/errors.js';
import { string } from '../../../lib/serde/string-serde.js';
import { type HeldUpdate, heldUpdates, packHeldUpdate, readHeldUpdate } from '../../../lib/state/held-update.js';
import { nonJoinedKeySerde, nonJoinedValueSerde, readNonJoinedKey } from '../../../lib/state/non-joined-layout.js';
import { valuesOfList } from '../../../lib/state/value-list.js';

const packed = (bytes: readonly number[]) => Buffer.from(bytes).toString('latin1') as never;
const value = fc.option(
  fc.uint8Array({ maxLength: 5 }).map((bytes) => packed([...bytes])),
  { nil: null },
);
const update: fc.Arbitrary<HeldUpdate> = fc.record({
  bufferTimeMs: fc.maxSafeNat(),
  timestampMs: fc.maxSafeNat(),
  origin: fc.option(
    fc.record({ topic: fc.string({ unit: 'grapheme' }), partition: fc.nat(), offset: fc.maxSafeNat() }),
    {
      nil: null,
    },
  ),
  headers: fc.array(
    fc.record({
      key: fc.string(),
      value: fc.option(
        fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
        { nil: null },
      ),
    }),
    { maxLength: 3 },
  ),
  prior: value,
  old: value,
  next: value,
});

describe('an update that is held back', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(update, (of) => {
        expect(heldUpdates.deserialize(heldUpdates.serialize(of))).toEqual(of);
      }),
    );
  });

  it('is refused where its bytes are cut short, or are more', () => {
    fc.assert(
      fc.property(update, fc.integer({ min: 1, max: 40 }), (of, less) => {
        const bytes = packHeldUpdate(of);

        expect(() => readHeldUpdate(bytes.slice(0, -less) as never)).toThrow(DeserializationError);
        expect(() => readHeldUpdate(`${bytes}x` as never)).toThrow(DeserializationError);
      }),
    );
  });
});

describe('a record that waits to be joined', () => {
  it('is read as it was written: key, stream and time, and all values', () => {
    const keys = nonJoinedKeySerde(string());
    const values = nonJoinedValueSerde(string(), string());
    const key = { timestampMs: 7, side: 'right', key: 'ä' } as const;
    const two = [
      { side: 'right', value: '1' },
      { side: 'right', value: '' },
    ] as const;

    expect(keys.deserialize(keys.serialize(key))).toEqual(key);
    expect(values.deserialize(values.serialize(two))).toEqual(two);
  });

  it('is refused where its bytes are none', () => {
    expect(() => readNonJoinedKey(packed([0, 0, 0, 0, 0, 0, 0, 1]))).toThrow(DeserializationError);
    expect(() => valuesOfList(packed([]))).toThrow(DeserializationError);
    expect(() => valuesOfList(packed([1, 0, 0, 0, 1, 0, 0, 0, 9, 1]))).toThrow(DeserializationError);
    expect(() => valuesOfList(packed([0, 0, 0, 0, 0]))).toThrow(DeserializationError);
  });
});
