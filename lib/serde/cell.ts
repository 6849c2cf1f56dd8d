/**
 * A key or a value on its way through a topology: bytes, an object, or both.
 *
 * Invariants
 *   C1  a cell that was read decodes at most once, and only when somebody asks for the value
 *   C2  bytes that were read are written unchanged if the format is the same and no user code can have changed the value
 *   C3  null is null on both sides; no serde sees it
 */
import { type ByteKey, byteKey, byteKeyAt } from '../model/byte-key.js';
import { DeserializationError, SerializationError } from '../model/errors.js';
import type { Serde } from './serde.js';

export class Cell<T> {
  private decoded: boolean;
  private current: T;
  private readonly source: Buffer | null;
  private readonly start: number;
  private readonly end: number;
  private readonly sourceSerde: Serde<T> | null;

  private constructor(
    decoded: boolean,
    current: T,
    source: Buffer | null,
    start: number,
    end: number,
    serde: Serde<T> | null,
  ) {
    this.decoded = decoded;
    this.current = current;
    this.source = source;
    this.start = start;
    this.end = end;
    this.sourceSerde = serde;
  }

  /** A cell over bytes [start, end) of a fetched buffer; `start` −1 is null. */
  static read<T>(serde: Serde<T>, source: Buffer, start: number, end: number): Cell<T> {
    if (start < 0) return Cell.of(null as T); // Kafka Streams hands nulls on, whatever the serde: docs/decisions/0003
    return new Cell(false, undefined as T, source, start, end, serde);
  }

  /** A cell of a value. */
  static of<T>(value: T): Cell<T> {
    return new Cell(true, value, null, -1, -1, null);
  }

  /** A cell of a value together with the bytes that `serde` made of it; nobody may change either. */
  static both<T>(serde: Serde<T>, bytes: Buffer, value: T): Cell<T> {
    return new Cell(true, value, bytes, 0, bytes.length, serde);
  }

  /** Whether the value is null, without decoding. */
  get isNull(): boolean {
    return this.decoded ? this.current === null || this.current === undefined : this.source === null;
  }

  /**
   * The value, decoded on first use.
   *
   * @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED
   */
  get value(): T {
    if (!this.decoded) this.decode();
    return this.current;
  }

  /**
   * The value as bytes of `serde`, or null.
   *
   * @throws {SerializationError} STREAMS_SERIALIZATION_FAILED
   */
  bytes(serde: Serde<T>): Uint8Array | null {
    if (this.source !== null && this.unchangedIn(serde)) return this.source.subarray(this.start, this.end);
    const value = this.value;
    if (value === null || value === undefined) return null;
    return encode(serde, value);
  }

  /** The value as a store key of `serde`; null for null. One string, no intermediate view for bytes that were read. */
  byteKey(serde: Serde<T>): ByteKey | null {
    if (this.source !== null && this.unchangedIn(serde)) return byteKeyAt(this.source, this.start, this.end);
    const bytes = this.bytes(serde);
    return bytes === null ? null : byteKey(bytes);
  }

  private unchangedIn(serde: Serde<T>): boolean {
    const own = this.sourceSerde;
    if (own === null || (this.decoded && own.immutable !== true)) return false;
    return own === serde || (own.format !== undefined && own.format === serde.format);
  }

  private decode(): void {
    const serde = this.sourceSerde as Serde<T>;
    const source = this.source as Buffer;
    try {
      this.current =
        serde.deserializeRange === undefined
          ? serde.deserialize(source.subarray(this.start, this.end))
          : serde.deserializeRange(source, this.start, this.end);
    } catch (cause) {
      const details = { format: serde.format, sizeBytes: this.end - this.start };
      throw new DeserializationError(`bytes are no ${serde.format ?? 'value of the serde'}`, { cause, details });
    }
    this.decoded = true;
  }
}

function encode<T>(serde: Serde<T>, value: T): Uint8Array {
  try {
    return serde.serialize(value);
  } catch (cause) {
    throw new SerializationError(`a ${typeof value} does not fit the serde ${serde.format ?? ''}`, {
      cause,
      details: { format: serde.format },
    });
  }
}
