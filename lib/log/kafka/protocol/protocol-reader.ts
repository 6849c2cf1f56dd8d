/**
 * Reads the primitives of Kafka's protocol from a response. Every read is checked against the end of the buffer, every
 * count against the bytes that are left: a broken answer costs an error, never memory or an endless loop.
 *
 * @see KIP-482 for compact types and tagged fields
 */
import { MalformedResponse } from './malformed-response.js';

/** An unsigned varint has at most five bytes. */
const MAX_VARINT_SHIFT = 28;
const UUID_BYTES = 16;

export class ProtocolReader {
  /** What the response says about throttling, once `throttle()` was read: milliseconds that the client has to keep still. */
  throttleTimeMs = 0;
  private readonly buffer: Buffer;
  private at = 0;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  get remaining(): number {
    return this.buffer.length - this.at;
  }

  int8(): number {
    return this.buffer.readInt8(this.take(1));
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  int16(): number {
    return this.buffer.readInt16BE(this.take(2));
  }

  int32(): number {
    return this.buffer.readInt32BE(this.take(4));
  }

  /** A 64-bit number that JavaScript holds exactly. */
  int64(): number {
    const start = this.take(8);
    const value = this.buffer.readInt32BE(start) * 4_294_967_296 + this.buffer.readUInt32BE(start + 4);
    if (!Number.isSafeInteger(value)) throw new MalformedResponse(`a number of about ${value} is out of range`);
    return value;
  }

  bigInt64(): bigint {
    return this.buffer.readBigInt64BE(this.take(8));
  }

  /** `throttle_time_ms`, kept for the connection to obey (KIP-219). */
  throttle(): void {
    this.throttleTimeMs = this.int32();
  }

  uuid(): string {
    const start = this.take(UUID_BYTES);
    return this.buffer.toString('base64url', start, start + UUID_BYTES);
  }

  string(): string {
    return this.requireText(this.nullableString());
  }

  nullableString(): string | null {
    return this.text(this.int16());
  }

  compactString(): string {
    return this.requireText(this.compactNullableString());
  }

  compactNullableString(): string | null {
    return this.text(this.unsignedVarint() - 1);
  }

  /** Bytes as a view of the response; none for null. */
  bytes(): Buffer {
    return this.view(this.int32());
  }

  /** The same with a compact length. */
  compactBytes(): Buffer {
    return this.view(this.unsignedVarint() - 1);
  }

  private view(length: number): Buffer {
    if (length <= 0) return Buffer.alloc(0);
    const start = this.take(length);
    return this.buffer.subarray(start, start + length);
  }

  /** An array; null reads as empty. */
  array<T>(element: () => T): T[] {
    return this.elements(this.int32(), element);
  }

  /** A compact array; null reads as empty. */
  compactArray<T>(element: () => T): T[] {
    return this.elements(this.unsignedVarint() - 1, element);
  }

  unsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift <= MAX_VARINT_SHIFT; shift += 7) {
      const byte = this.buffer.readUInt8(this.take(1));
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedResponse('a varint does not end');
  }

  /** Tagged fields that nobody here knows: passed over. */
  skipTags(): void {
    const count = this.checkedCount(this.unsignedVarint());
    for (let index = 0; index < count; index += 1) {
      this.unsignedVarint();
      this.take(this.unsignedVarint());
    }
  }

  private text(length: number): string | null {
    if (length < 0) return null;
    const start = this.take(length);
    return this.buffer.toString('utf8', start, start + length);
  }

  private requireText(text: string | null): string {
    if (text === null) throw new MalformedResponse('a text is null');
    return text;
  }

  private elements<T>(count: number, element: () => T): T[] {
    const all: T[] = [];
    for (let left = this.checkedCount(count); left > 0; left -= 1) all.push(element());
    return all;
  }

  /** Each element takes at least a byte. */
  private checkedCount(count: number): number {
    if (count > this.remaining) throw new MalformedResponse(`${count} elements in ${this.remaining} bytes`);
    return count;
  }

  private take(length: number): number {
    const start = this.at;
    if (length > this.buffer.length - start)
      throw new MalformedResponse(`${length} bytes wanted at ${start} of ${this.buffer.length}`);
    this.at = start + length;
    return start;
  }
}
