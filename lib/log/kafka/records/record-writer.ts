/** One record in Kafka's form: how many bytes it takes, and writing them. */
import type { Headers, RecordSet } from '../../../model/record-set.js';

/** Up to here a loop copies quicker than the built-in call. */
const MAX_LOOP_COPY_BYTES = 24;
const MIN_INT32 = -(2 ** 31);
const MAX_INT32 = 2 ** 31 - 1;
/** Null keys and values have the length −1, in one byte. */
const NULL_BYTES = 1;

/** Bytes of record `index` without its own length in front; deltas are from the first record of its batch. */
export function recordBodyBytes(
  records: RecordSet,
  index: number,
  timestampDelta: number,
  offsetDelta: number,
): number {
  const keyStart = records.keyStarts[index] as number;
  const valueStart = records.valueStarts[index] as number;
  const headers = records.headers?.[index];
  return (
    1 +
    varlongBytes(timestampDelta) +
    varintBytes(offsetDelta) +
    (keyStart < 0 ? NULL_BYTES : withLength((records.keyEnds[index] as number) - keyStart)) +
    (valueStart < 0 ? NULL_BYTES : withLength((records.valueEnds[index] as number) - valueStart)) +
    (headers === undefined ? 1 : headersBytes(headers))
  );
}

/** Writes varints, bytes and whole records into a buffer that has room for them. */
export class RecordWriter {
  private readonly bytes: Buffer;
  /** Where the next byte goes. */
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Writes record `index`, whose body has `bodyBytes` (see {@link recordBodyBytes}). */
  record(records: RecordSet, index: number, bodyBytes: number, timestampDelta: number, offsetDelta: number): void {
    this.varint(bodyBytes);
    this.bytes[this.at++] = 0;
    this.varlong(timestampDelta);
    this.varint(offsetDelta);
    this.part(records.bytes, records.keyStarts[index] as number, records.keyEnds[index] as number);
    this.part(records.bytes, records.valueStarts[index] as number, records.valueEnds[index] as number);
    this.headers(records.headers?.[index]);
  }

  private part(from: Buffer, start: number, end: number): void {
    if (start < 0) {
      this.varint(-1);
      return;
    }
    const length = end - start;
    this.varint(length);
    const { bytes, at } = this;
    if (length <= MAX_LOOP_COPY_BYTES)
      for (let index = 0; index < length; index += 1) bytes[at + index] = from[start + index] as number;
    else from.copy(bytes, at, start, end);
    this.at = at + length;
  }

  private headers(headers: Headers | undefined): void {
    if (headers === undefined) {
      this.varint(0);
      return;
    }
    this.varint(headers.length);
    for (const { key, value } of headers) {
      this.varint(Buffer.byteLength(key));
      this.at += this.bytes.write(key, this.at);
      if (value === null) {
        this.varint(-1);
      } else {
        this.varint(value.length);
        this.bytes.set(value, this.at);
        this.at += value.length;
      }
    }
  }

  private varint(value: number): void {
    const { bytes } = this;
    let left = ((value << 1) ^ (value >> 31)) >>> 0;
    while (left > 0x7f) {
      bytes[this.at++] = (left & 0x7f) | 0x80;
      left >>>= 7;
    }
    bytes[this.at++] = left;
  }

  private varlong(value: number): void {
    if (isInt32(value)) {
      this.varint(value);
      return;
    }
    const { bytes } = this;
    const isNegative = value < 0;
    // Zig-zag by hand: twice the number may be more than a number holds exactly.
    const magnitude = isNegative ? -value - 1 : value;
    bytes[this.at++] = ((magnitude % 64) << 1) | (isNegative ? 1 : 0) | 0x80;
    let left = Math.floor(magnitude / 64);
    while (left > 0x7f) {
      bytes[this.at++] = (left % 128) | 0x80;
      left = Math.floor(left / 128);
    }
    bytes[this.at++] = left;
  }
}

/** Bytes of a value of so many bytes together with its length. */
function withLength(length: number): number {
  return varintBytes(length) + length;
}

function headersBytes(headers: Headers): number {
  let bytes = varintBytes(headers.length);
  for (const { key, value } of headers)
    bytes += withLength(Buffer.byteLength(key)) + (value === null ? NULL_BYTES : withLength(value.length));
  return bytes;
}

/** Bytes of a zig-zag varint. */
export function varintBytes(value: number): number {
  const left = ((value << 1) ^ (value >> 31)) >>> 0;
  if (left < 0x80) return 1;
  if (left < 0x4000) return 2;
  if (left < 0x200000) return 3;
  return left < 0x10000000 ? 4 : 5;
}

function varlongBytes(value: number): number {
  if (isInt32(value)) return varintBytes(value);
  let left = Math.floor((value < 0 ? -value - 1 : value) / 64);
  let bytes = 2;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes += 1;
  return bytes;
}

function isInt32(value: number): boolean {
  return value >= MIN_INT32 && value <= MAX_INT32;
}
