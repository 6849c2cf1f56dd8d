const INITIAL_BYTES = 4_096;

/** A growing buffer for the parts of a segment. Numbers are big-endian; varints are LEB128, 7 bits a byte, low bits first. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  private used = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.used;
  }

  /** A whole number from 0 to 2^53 − 1. */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.used++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.buffer[this.used++] = rest;
  }

  /** A whole number from −2^53 to 2^53 as 8 bytes, two's complement. */
  int64(value: number): void {
    this.reserve(8);
    this.buffer.writeInt32BE(Math.floor(value / 2 ** 32), this.used);
    this.buffer.writeUInt32BE(value >>> 0, this.used + 4);
    this.used += 8;
  }

  /** A text of characters below 256, one byte a character, after its length. */
  latin1(text: string): void {
    this.varint(text.length);
    this.reserve(text.length);
    this.used += this.buffer.write(text, this.used, 'latin1');
  }

  bytes(part: Uint8Array): void {
    this.reserve(part.length);
    this.buffer.set(part, this.used);
    this.used += part.length;
  }

  /** What was written; valid until the next write. */
  view(): Buffer {
    return this.buffer.subarray(0, this.used);
  }

  /** Starts again with the same memory. */
  reset(): void {
    this.used = 0;
  }

  private reserve(more: number): void {
    if (this.used + more <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.used + more));
    this.buffer.copy(larger, 0, 0, this.used);
    this.buffer = larger;
  }
}
