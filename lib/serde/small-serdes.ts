/** Kafka's serdes for small values: one or two bytes, a float, a UUID, nothing at all. */
import { asBuffer } from '../model/byte-key.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { Serde } from './serde.js';

const SHORT_MIN = -0x8000;
const SHORT_MAX = 0x7fff;
const SHORT_BYTES = 2;
const FLOAT_BYTES = 4;
const UUID_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const BOOLEAN: Serde<boolean> = Object.freeze({
  format: 'boolean',
  immutable: true,
  accepts: (bytes: Buffer, start: number, end: number) => end - start === 1 && (bytes[start] as number) <= 1,
  serialize: (value: boolean) => {
    if (typeof value !== 'boolean') throw new TypeError(`a boolean is wanted, not ${kindOfValue(value)}`);
    return Buffer.of(value ? 1 : 0);
  },
  deserialize: (bytes: Uint8Array) => readBoolean(asBuffer(bytes), 0, bytes.length),
  deserializeRange: readBoolean,
});

function readBoolean(bytes: Buffer, start: number, end: number): boolean {
  expectLength(1, start, end);
  const byte = bytes[start] as number;
  if (byte > 1) throw new RangeError(`${byte} is neither 0 nor 1`);
  return byte === 1;
}

/** One byte, 1 for true. Kafka: `BooleanSerializer`, `BooleanDeserializer`. */
export function boolean(): Serde<boolean> {
  return BOOLEAN;
}

const SHORT: Serde<number> = Object.freeze({
  format: 'short',
  immutable: true,
  accepts: (_bytes: Buffer, start: number, end: number) => end - start === SHORT_BYTES,
  serialize: (value: number) => {
    if (!Number.isInteger(value) || value < SHORT_MIN || value > SHORT_MAX) {
      throw new RangeError(`${value} is no whole number of 16 bits`);
    }
    const bytes = Buffer.allocUnsafe(SHORT_BYTES);
    bytes.writeInt16BE(value, 0);
    return bytes;
  },
  deserialize: (bytes: Uint8Array) => readShort(asBuffer(bytes), 0, bytes.length),
  deserializeRange: readShort,
});

function readShort(bytes: Buffer, start: number, end: number): number {
  expectLength(SHORT_BYTES, start, end);
  return bytes.readInt16BE(start);
}

/** A whole number of 16 bits, signed, as 2 bytes, big-endian. Kafka: `ShortSerializer`, `ShortDeserializer`. */
export function short(): Serde<number> {
  return SHORT;
}

const FLOAT: Serde<number> = Object.freeze({
  format: 'float',
  accepts: (_bytes: Buffer, start: number, end: number) => end - start === FLOAT_BYTES,
  serialize: (value: number) => {
    if (typeof value !== 'number') throw new TypeError(`a number is wanted, not ${kindOfValue(value)}`);
    if (Number.isFinite(value) && !Number.isFinite(Math.fround(value)))
      throw new RangeError(`${value} is too large for 32 bits`);
    const bytes = Buffer.allocUnsafe(FLOAT_BYTES);
    bytes.writeFloatBE(value, 0);
    return bytes;
  },
  deserialize: (bytes: Uint8Array) => readFloat(asBuffer(bytes), 0, bytes.length),
  deserializeRange: readFloat,
});

function readFloat(bytes: Buffer, start: number, end: number): number {
  expectLength(FLOAT_BYTES, start, end);
  return bytes.readFloatBE(start);
}

/**
 * A number rounded to an IEEE 754 float of 4 bytes, big-endian; one that is too large is refused. Kafka: `FloatSerializer`,
 * `FloatDeserializer`.
 */
export function float(): Serde<number> {
  return FLOAT;
}

const UUID: Serde<string> = Object.freeze({
  format: 'uuid',
  serialize: (value: string) => Buffer.from(expectUuid(value), 'latin1'),
  deserialize: (bytes: Uint8Array) => expectUuid(asBuffer(bytes).toString('latin1')),
  deserializeRange: (bytes: Buffer, start: number, end: number) => expectUuid(bytes.toString('latin1', start, end)),
});

function expectUuid(value: unknown): string {
  if (typeof value === 'string' && UUID_FORM.test(value)) return value.toLowerCase();
  throw new TypeError(`a UUID is wanted, not ${typeof value === 'string' ? 'another text' : kindOfValue(value)}`);
}

/** A UUID as its text of 36 characters, in lower case. Kafka: `UUIDSerializer`, `UUIDDeserializer`. */
export function uuid(): Serde<string> {
  return UUID;
}

const NOTHING: Serde<null> = Object.freeze({
  format: 'nothing',
  accepts: () => false,
  serialize: (value: null) => {
    throw new TypeError(`nothing is wanted, not ${kindOfValue(value)}`);
  },
  deserialize: (bytes: Uint8Array) => {
    throw new RangeError(`nothing is wanted, not ${bytes.length} bytes`);
  },
});

/** Keys or values that are always null; anything else is refused. Kafka: `VoidSerializer`, `VoidDeserializer`. */
export function nothing(): Serde<null> {
  return NOTHING;
}

function expectLength(wanted: number, start: number, end: number): void {
  if (end - start !== wanted) throw new RangeError(`${wanted} bytes are wanted, not ${end - start}`);
}
