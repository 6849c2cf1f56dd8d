import { asBuffer, type PackedBytes } from '../model/byte-key.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { Serde } from './serde.js';

const TWO_TO_32 = 0x1_0000_0000;
/** High word of 2^53, the first whole number that a JavaScript number cannot tell from its neighbour. */
const UNSAFE_HIGH_WORD = 0x20_0000;
const INT_MIN = -0x8000_0000;
const INT_MAX = 0x7fff_ffff;

const LONG: Serde<number> = Object.freeze({
  format: 'long',
  immutable: true,
  accepts: (bytes: Buffer, start: number, end: number) => {
    if (end - start !== 8) return false;
    const high = bytes.readInt32BE(start);
    if (high === -UNSAFE_HIGH_WORD) return bytes.readUInt32BE(start + 4) !== 0;
    return high > -UNSAFE_HIGH_WORD && high < UNSAFE_HIGH_WORD;
  },
  pack: (value: number) => {
    const high = highWord(value);
    const low = value - high * TWO_TO_32;
    return String.fromCharCode(
      (high >> 24) & 0xff,
      (high >> 16) & 0xff,
      (high >> 8) & 0xff,
      high & 0xff,
      (low >>> 24) & 0xff,
      (low >>> 16) & 0xff,
      (low >>> 8) & 0xff,
      low & 0xff,
    ) as PackedBytes;
  },
  serialize: (value: number) => {
    const high = highWord(value);
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeInt32BE(high, 0);
    bytes.writeUInt32BE(value - high * TWO_TO_32, 4);
    return bytes;
  },
  deserialize: (bytes: Uint8Array) => readLong(asBuffer(bytes), 0, bytes.length),
  deserializeRange: readLong,
});

function highWord(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number within ±(2^53 − 1)`);
  return Math.floor(value / TWO_TO_32);
}

function readLong(bytes: Buffer, start: number, end: number): number {
  expectLength(8, start, end);
  const value = bytes.readInt32BE(start) * TWO_TO_32 + bytes.readUInt32BE(start + 4);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${bytes.readBigInt64BE(start)} is beyond ±(2^53 − 1)`);
  }
  return value;
}

/**
 * A whole number as 8 bytes, big-endian. Kafka: `LongSerializer`, `LongDeserializer`.
 *
 * JavaScript numbers are exact up to 2^53 − 1: anything beyond ±(2^53 − 1) is refused when it is read and when it is written.
 */
export function long(): Serde<number> {
  return LONG;
}

const INT: Serde<number> = Object.freeze({
  format: 'int',
  immutable: true,
  accepts: (_bytes: Buffer, start: number, end: number) => end - start === 4,
  serialize: (value: number) => {
    if (!Number.isInteger(value) || value < INT_MIN || value > INT_MAX) {
      throw new RangeError(`${value} is no whole number of 32 bits`);
    }
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeInt32BE(value, 0);
    return bytes;
  },
  deserialize: (bytes: Uint8Array) => readInt(asBuffer(bytes), 0, bytes.length),
  deserializeRange: readInt,
});

function readInt(bytes: Buffer, start: number, end: number): number {
  expectLength(4, start, end);
  return bytes.readInt32BE(start);
}

/** A whole number of 32 bits, signed, as 4 bytes, big-endian. Kafka: `IntegerSerializer`, `IntegerDeserializer`. */
export function int(): Serde<number> {
  return INT;
}

const DOUBLE: Serde<number> = Object.freeze({
  format: 'double',
  immutable: true,
  accepts: (_bytes: Buffer, start: number, end: number) => end - start === 8,
  serialize: (value: number) => {
    if (typeof value !== 'number') throw new TypeError(`a number is wanted, not ${kindOfValue(value)}`);
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(value, 0);
    return bytes;
  },
  deserialize: (bytes: Uint8Array) => readDouble(asBuffer(bytes), 0, bytes.length),
  deserializeRange: readDouble,
});

function readDouble(bytes: Buffer, start: number, end: number): number {
  expectLength(8, start, end);
  return bytes.readDoubleBE(start);
}

/** Any number, as an IEEE 754 double of 8 bytes, big-endian. Kafka: `DoubleSerializer`, `DoubleDeserializer`. */
export function double(): Serde<number> {
  return DOUBLE;
}

function expectLength(wanted: number, start: number, end: number): void {
  if (end - start !== wanted) throw new RangeError(`${wanted} bytes are wanted, not ${end - start}`);
}
