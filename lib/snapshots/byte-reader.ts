import { asBuffer, type ByteKey, byteKeyAt } from '../model/byte-key.js';
import { SnapshotCorruptedError } from '../model/errors.js';

/** Varints longer than this are no numbers of ours: 8 × 7 bits hold 2^53. */
const MAX_VARINT_BYTES = 8;

/** Reads what `ByteWriter` wrote; every step is checked against the end. */
export class ByteReader {
  readonly buffer: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = asBuffer(bytes);
  }

  get isAtEnd(): boolean {
    return this.at === this.buffer.length;
  }

  /** @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED, as every method, if the bytes end too early */
  varint(): number {
    const first = this.buffer[this.at];
    if (first !== undefined && first < 0x80) {
      this.at += 1;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count += 1) {
      const next = this.buffer[this.at];
      if (next === undefined) break;
      this.at += 1;
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
      scale *= 0x80;
    }
    throw new SnapshotCorruptedError('a number has no end', { details: { at: this.at } });
  }

  int64(): number {
    const start = this.take(8);
    return this.buffer.readInt32BE(start) * 2 ** 32 + this.buffer.readUInt32BE(start + 4);
  }

  key(): ByteKey {
    const length = this.varint();
    const start = this.take(length);
    return byteKeyAt(this.buffer, start, start + length);
  }

  /** A view of the next bytes. */
  bytes(length: number): Buffer {
    const start = this.take(length);
    return this.buffer.subarray(start, start + length);
  }

  private take(length: number): number {
    const start = this.at;
    if (start + length > this.buffer.length) {
      throw new SnapshotCorruptedError('the bytes end too early', { details: { at: start, wanted: length } });
    }
    this.at = start + length;
    return start;
  }
}
