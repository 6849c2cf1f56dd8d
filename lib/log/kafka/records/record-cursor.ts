/** Reads the variable-length integers of records (zig-zag, seven bits a byte), one after the other. */
import { CorruptRecordError } from '../../../model/errors.js';

/** Shifts beyond which an encoded 32-bit (64-bit) integer has more bytes than it can have. */
const MAX_SHIFT_32 = 28;
const MAX_SHIFT_64 = 63;
const HALF_OF_2_TO_28 = 2 ** 27;

/**
 * A place in a buffer. Nothing is checked against an end while reading: beyond the buffer's end there are zeros, so every
 * read ends; whoever reads a record compares `at` with the record's end afterwards.
 */
export class RecordCursor {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD if it is longer than five bytes */
  varint(): number {
    const first = this.bytes[this.at++] as number;
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    return this.longerVarint(first);
  }

  private longerVarint(first: number): number {
    const { bytes } = this;
    let value = first & 0x7f;
    let { at } = this;
    for (let shift = 7; shift <= MAX_SHIFT_32; shift += 7) {
      const byte = bytes[at++] as number;
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) {
        this.at = at;
        return (value >>> 1) ^ -(value & 1);
      }
    }
    throw new CorruptRecordError('a variable-length integer is longer than five bytes', { details: { at } });
  }

  /** As an exact number; NaN if it is outside ±(2^53 − 1). */
  varlong(): number {
    const first = this.bytes[this.at++] as number;
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    return this.longerVarlong(first);
  }

  private longerVarlong(first: number): number {
    const { bytes } = this;
    let low = first & 0x7f;
    let high = 0;
    let { at } = this;
    for (let shift = 7; shift <= MAX_SHIFT_64; shift += 7) {
      const byte = bytes[at++] as number;
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else high += (byte & 0x7f) * 2 ** (shift - 28);
      if ((byte & 0x80) === 0) {
        this.at = at;
        const half = high * HALF_OF_2_TO_28 + (low >>> 1);
        const value = (low & 1) === 0 ? half : -half - 1;
        return Number.isSafeInteger(value) ? value : Number.NaN;
      }
    }
    throw new CorruptRecordError('a variable-length integer is longer than ten bytes', { details: { at } });
  }
}
