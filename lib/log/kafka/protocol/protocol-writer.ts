/** Writes the primitives of Kafka's protocol into one growing buffer. @see KIP-482 for compact types and tagged fields */
const INITIAL_BYTES = 256;
const UUID_BYTES = 16;

export class ProtocolWriter {
  private buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  private used = 0;

  /** What was written so far, a view. */
  toBuffer(): Buffer {
    return this.buffer.subarray(0, this.used);
  }

  int8(value: number): this {
    const at = this.room(1);
    this.buffer.writeInt8(value, at);
    return this;
  }

  boolean(value: boolean): this {
    return this.int8(value ? 1 : 0);
  }

  int16(value: number): this {
    const at = this.room(2);
    this.buffer.writeInt16BE(value, at);
    return this;
  }

  int32(value: number): this {
    const at = this.room(4);
    this.buffer.writeInt32BE(value, at);
    return this;
  }

  int64(value: number): this {
    const at = this.room(8);
    this.buffer.writeBigInt64BE(BigInt(value), at);
    return this;
  }

  /** The id that stands for "no id". */
  zeroUuid(): this {
    return this.uuid('');
  }

  /** An id as answers have it: 22 characters of base64url. */
  uuid(value: string): this {
    const start = this.room(UUID_BYTES);
    this.buffer.fill(0, start, start + UUID_BYTES);
    this.buffer.write(value, start, UUID_BYTES, 'base64url');
    return this;
  }

  string(value: string | null): this {
    if (value === null) return this.int16(-1);
    const length = Buffer.byteLength(value);
    this.int16(length);
    const at = this.room(length);
    this.buffer.write(value, at);
    return this;
  }

  compactString(value: string | null): this {
    if (value === null) return this.unsignedVarint(0);
    const length = Buffer.byteLength(value);
    this.unsignedVarint(length + 1);
    const at = this.room(length);
    this.buffer.write(value, at);
    return this;
  }

  /** Bytes with their length. */
  bytes(value: Uint8Array): this {
    this.int32(value.length);
    const at = this.room(value.length);
    this.buffer.set(value, at);
    return this;
  }

  array<T>(items: readonly T[], write: (item: T) => void): this {
    this.int32(items.length);
    for (const item of items) write(item);
    return this;
  }

  compactArray<T>(items: readonly T[] | null, write: (item: T) => void): this {
    this.unsignedVarint(items === null ? 0 : items.length + 1);
    for (const item of items ?? []) write(item);
    return this;
  }

  unsignedVarint(value: number): this {
    let left = value;
    while (left > 0x7f) {
      const at = this.room(1);
      this.buffer.writeUInt8((left % 128) + 128, at);
      left = Math.floor(left / 128);
    }
    const at = this.room(1);
    this.buffer.writeUInt8(left, at);
    return this;
  }

  /** No tagged fields. */
  noTags(): this {
    return this.unsignedVarint(0);
  }

  private room(length: number): number {
    const start = this.used;
    const end = start + length;
    if (end > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, end));
      this.buffer.copy(larger, 0, 0, start);
      this.buffer = larger;
    }
    this.used = end;
    return start;
  }
}
