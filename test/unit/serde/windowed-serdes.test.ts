import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cell } from '../../../lib/serde/cell.js';
import { long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';
import { sessionWindowedSerde, timeWindowedSerde } from '../../../lib/serde/windowed-serdes.js';

/** Written by `TimeWindowedSerializer` and `SessionWindowedSerializer` of the JVM: key `ab`, then times, big-endian. */
const TIME_BYTES = '6162' + '00000000000003e8';
const SESSION_BYTES = '6162' + '00000000000007d0' + '00000000000003e8';
const windowed = { key: 'ab', window: { startMs: 1000, endMs: 2000 } };

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe("keys of windows are the JVM's", () => {
  it('of time windows: the key and its start', () => {
    expect(hex(timeWindowedSerde(string(), '1s').serialize(windowed))).toBe(TIME_BYTES);
    expect(timeWindowedSerde(string(), '1s').deserialize(Buffer.from(TIME_BYTES, 'hex'))).toEqual(windowed);
  });

  it('of sessions: the key, its end and its start', () => {
    expect(hex(sessionWindowedSerde(string()).serialize(windowed))).toBe(SESSION_BYTES);
    expect(sessionWindowedSerde(string()).deserialize(Buffer.from(SESSION_BYTES, 'hex'))).toEqual(windowed);
  });

  it('are read back, alone or inside a larger buffer', () => {
    const times = fc.tuple(fc.nat({ max: 2 ** 50 }), fc.nat({ max: 2 ** 20 }));
    fc.assert(
      fc.property(fc.maxSafeInteger(), times, fc.nat(9), (key, [startMs, sizeMs], padding) => {
        const of = { key, window: { startMs, endMs: startMs + sizeMs } };
        for (const serde of [timeWindowedSerde(long(), sizeMs), sessionWindowedSerde(long())]) {
          const bytes = serde.serialize(of);
          const padded = Buffer.concat([Buffer.alloc(padding, 0xff), bytes, Buffer.alloc(padding, 0xff)]);
          expect(serde.deserialize(bytes)).toEqual(of);
          expect(serde.deserializeRange?.(padded, padding, padding + bytes.length)).toEqual(of);
        }
      }),
    );
  });

  it('that are too short are refused, and times that are none', () => {
    expect(() => timeWindowedSerde(string(), 1).deserialize(Buffer.alloc(7))).toThrow(RangeError);
    expect(() => sessionWindowedSerde(string()).deserialize(Buffer.alloc(15))).toThrow(RangeError);
    expect(() => timeWindowedSerde(string(), 1).serialize({ key: 'a', window: { startMs: -1, endMs: 0 } })).toThrow(
      RangeError,
    );
  });

  it('are handed on as the bytes that were read, while nobody has looked at them', () => {
    const bytes = Buffer.from(TIME_BYTES, 'hex');
    const cell = Cell.read(timeWindowedSerde(string(), '1s'), bytes, 0, bytes.length);

    expect(cell.bytes(timeWindowedSerde(string(), '1s'))?.buffer).toBe(bytes.buffer);
  });
});
