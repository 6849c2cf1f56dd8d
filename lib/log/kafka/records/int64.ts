/** 64-bit integers of the wire as exact numbers. */

const TWO_TO_32 = 2 ** 32;

/** The signed integer at `at`, or undefined if it is outside ±(2^53 − 1). */
export function readSafeInt64(buffer: Buffer, at: number): number | undefined {
  const value = buffer.readInt32BE(at) * TWO_TO_32 + buffer.readUInt32BE(at + 4);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Writes an exact number as a signed 64-bit integer. */
export function writeSafeInt64(buffer: Buffer, value: number, at: number): void {
  const high = Math.floor(value / TWO_TO_32);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(value - high * TWO_TO_32, at + 4);
}
