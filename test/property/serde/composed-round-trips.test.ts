import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeSerde } from '../../../lib/dsl/change.js';
import { bytes, json, list, long, nullable, short, string, uuid } from '../../../lib/index.js';
import { Cell } from '../../../lib/serde/cell.js';
import type { Serde } from '../../../lib/serde/serde.js';
import { sessionWindowedSerde, timeWindowedSerde } from '../../../lib/serde/windowed-serdes.js';
import { sessionChangelogKeys, windowChangelogKeys } from '../../../lib/state/changelog-keys.js';
import { nonJoinedKeySerde, nonJoinedValueSerde, type SidedValue } from '../../../lib/state/non-joined-layout.js';

const sizeMs = 5;
const texts = fc.string({ unit: 'binary', maxLength: 8 });
const times = fc.nat(2 ** 43);
const longs = fc.maxSafeInteger().map((value) => value + 0);
const timeWindows = times.map((startMs) => ({ startMs, endMs: startMs + sizeMs }));
const sessions = fc.tuple(times, fc.nat()).map(([startMs, length]) => ({ startMs, endMs: startMs + length }));
const sides = fc.constantFrom('left' as const, 'right' as const);
const sided: fc.Arbitrary<SidedValue> = fc.oneof(
  fc.record({ side: fc.constant('left' as const), value: texts }),
  fc.record({ side: fc.constant('right' as const), value: longs }),
);

/** Written and read back, alone and at any place of a larger buffer. */
function holdsRoundTrip<T>(serde: Serde<T>, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, fc.nat(9), (value, padding) => {
      const written = serde.serialize(value);
      const padded = Buffer.concat([Buffer.alloc(padding, 0xff), written, Buffer.alloc(padding, 0xff)]);
      const inside = padded.subarray(padding, padding + written.length);

      expect(serde.deserialize(written)).toEqual(value);
      expect(serde.deserialize(inside)).toEqual(value);
      if (serde.deserializeRange !== undefined)
        expect(serde.deserializeRange(padded, padding, padding + written.length)).toEqual(value);
    }),
  );
}

describe('what is made of other serdes is read back as it was written', () => {
  it('lists of values of one size, null among them', () =>
    holdsRoundTrip(list(nullable(long())), fc.array(fc.option(longs))));
  it('lists of others, null among them', () => holdsRoundTrip(list(nullable(string())), fc.array(fc.option(texts))));
  it('lists of lists', () =>
    holdsRoundTrip(list(list(short())), fc.array(fc.array(fc.integer({ min: -0x8000, max: 0x7fff })))));
  it('UUIDs', () => holdsRoundTrip(uuid(), fc.uuid()));
  it('bytes', () =>
    holdsRoundTrip(
      bytes(),
      fc.uint8Array().map((value) => Buffer.from(value)),
    ));
  it('JSON', () => holdsRoundTrip(json<unknown>(), fc.jsonValue({ noUnicodeString: false }).map(plainJson)));
  it('keys in time windows', () =>
    holdsRoundTrip(timeWindowedSerde(string(), sizeMs), fc.record({ key: texts, window: timeWindows })));
  it('keys in sessions', () =>
    holdsRoundTrip(sessionWindowedSerde(long()), fc.record({ key: longs, window: sessions })));
  it('keys of window stores', () =>
    holdsRoundTrip(
      windowChangelogKeys(string(), (startMs) => startMs + sizeMs),
      fc.record({ key: texts, window: timeWindows, sequence: fc.nat() }),
    ));
  it('keys of session stores', () =>
    holdsRoundTrip(sessionChangelogKeys(string()), fc.record({ key: texts, window: sessions })));
  it('keys of records that wait to be joined', () =>
    holdsRoundTrip(nonJoinedKeySerde(string()), fc.record({ timestampMs: times, side: sides, key: texts })));
  it('values of records that wait to be joined', () =>
    holdsRoundTrip(
      nonJoinedValueSerde(string() as Serde<unknown>, long() as Serde<unknown>) as Serde<SidedValue[]>,
      fc.array(sided, { minLength: 1 }),
    ));

  it('updates of tables', () => {
    const serde = changeSerde(string());
    const either = fc.tuple(fc.option(texts), fc.option(texts)).filter(([now, was]) => now !== null || was !== null);
    fc.assert(
      fc.property(either, ([now, was]) => {
        const written = serde.serialize({ newCell: Cell.of(now), oldCell: Cell.of(was) });

        const { newCell, oldCell } = serde.deserialize(written);

        expect([newCell.value, oldCell.value]).toEqual([now, was]);
      }),
    );
  });
});

describe('bytes that are no list', () => {
  it('are refused, and make no list that is larger than they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (given) => {
        const serde = list(nullable(string()));
        let read: (string | null)[];
        try {
          read = serde.deserialize(given);
        } catch (thrown) {
          return thrown instanceof RangeError;
        }
        return read.length * 4 <= given.length && Buffer.compare(serde.serialize(read), given) === 0;
      }),
    );
  });

  it.each([
    ['nothing at all', []],
    ['a kind that there is not', [2, 0, 0, 0, 0]],
    ['more entries than bytes', [1, 0x7f, 0xff, 0xff, 0xff]],
    ['fewer than none', [1, 0xff, 0xff, 0xff, 0xff]],
    ['an entry cut short', [1, 0, 0, 0, 1, 0, 0, 0, 2, 0x61]],
    ['bytes left over', [1, 0, 0, 0, 0, 9]],
    ['entries of one size, where they have none', [0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ])('are refused: %s', (_, given) => {
    expect(() => list(string()).deserialize(Uint8Array.from(given))).toThrow(RangeError);
  });
});

/** −0 is 0 in JSON. */
function plainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
