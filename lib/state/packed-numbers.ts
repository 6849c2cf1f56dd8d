/** Big-endian numbers in packed bytes, whose order as bytes is that of the numbers: the ends of windowed keys. */
import type { PackedBytes } from '../model/byte-key.js';

export const TIME_BYTES = 8;
export const INT_BYTES = 4;
/** The greatest time that a key can name here. Kafka's is 2^63 − 1; every time that means anything is below both. */
export const GREATEST_TIME_MS = Number.MAX_SAFE_INTEGER;

const TWO_TO_32 = 0x1_0000_0000;
const scratch = Buffer.allocUnsafe(TIME_BYTES);

/** A whole number from 0 to {@link GREATEST_TIME_MS} as 8 bytes. */
export function packTime(timeMs: number): PackedBytes {
  scratch.writeUInt32BE(Math.floor(timeMs / TWO_TO_32), 0);
  scratch.writeUInt32BE(timeMs % TWO_TO_32, INT_BYTES);
  return scratch.toString('latin1', 0, TIME_BYTES) as PackedBytes;
}

/** The time in the 8 bytes from `at`; NaN if there are fewer. */
export function timeAt(packed: PackedBytes, at: number): number {
  return intAt(packed, at) * TWO_TO_32 + intAt(packed, at + INT_BYTES);
}

/** A whole number from 0 to 2^32 − 1 as 4 bytes. */
export function packInt(value: number): PackedBytes {
  scratch.writeUInt32BE(value, 0);
  return scratch.toString('latin1', 0, INT_BYTES) as PackedBytes;
}

/** The number in the 4 bytes from `at`; NaN if there are fewer. */
export function intAt(packed: PackedBytes, at: number): number {
  const high = packed.charCodeAt(at) * 0x1_00_00_00 + packed.charCodeAt(at + 1) * 0x1_00_00;
  return high + packed.charCodeAt(at + 2) * 0x1_00 + packed.charCodeAt(at + 3);
}

/** The nearest time that a key can name. */
export function clampTime(timeMs: number): number {
  return Math.min(Math.max(0, Math.floor(timeMs)), GREATEST_TIME_MS);
}
