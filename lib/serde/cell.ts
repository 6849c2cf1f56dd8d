/**
 * A key or a value on its way through a topology: bytes, an object, or both.
 *
 * Invariants
 *   C1  a cell that was read decodes at most once, and only when somebody asks for the value
 *   C2  bytes that were read are written unchanged if the format is the same and no user code can have changed the value
 *   C3  packed bytes are kept where no user code can change the value: a key that is looked up and then written is packed once
 *   C4  null is null on both sides; no serde sees it
 */
import { asBuffer, type ByteKey, byteKey, byteKeyAt, type Encoded, type PackedBytes } from '../model/byte-key.js';
import { DeserializationError, SerializationError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import { messageOf } from '../model/thrown.js';
import { encodedBy, type Serde, serializedBy } from './serde.js';

export class Cell<T> {
  private decoded: boolean;
  private current: T;
  private readonly source: Buffer | null;
  private readonly start: number;
  private readonly end: number;
  private readonly sourceSerde: Serde<T> | null;
  private packed: PackedBytes | null = null;
  private packedSerde: Serde<T> | null = null;

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
  static both<T>(serde: Serde<T>, encoded: Encoded, value: T): Cell<T> {
    if (typeof encoded !== 'string') {
      return new Cell(true, value, asBuffer(encoded), 0, encoded.length, serde);
    }
    const cell = Cell.of(value);
    cell.keepPacked(serde, encoded);
    return cell;
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
    return encode(serde, value, serializedBy);
  }

  /**
   * The value as bytes of `serde`, in the form that costs the least, or null.
   *
   * @throws {SerializationError} STREAMS_SERIALIZATION_FAILED
   */
  encoded(serde: Serde<T>): Encoded | null {
    if (this.packed !== null && isSame(this.packedSerde, serde)) return this.packed;
    if (this.source !== null && this.unchangedIn(serde)) return this.source.subarray(this.start, this.end);
    const value = this.value;
    return value === null || value === undefined ? null : encode(serde, value, encodedBy);
  }

  /** The value as a store key of `serde`; null for null. One string, no intermediate view for bytes that were read. */
  byteKey(serde: Serde<T>): ByteKey | null {
    if (this.packed !== null && isSame(this.packedSerde, serde)) return this.packed;
    if (this.source !== null && this.unchangedIn(serde)) {
      return this.keepPacked(serde, byteKeyAt(this.source, this.start, this.end));
    }
    const encoded = this.encoded(serde);
    if (encoded === null) return null;
    return this.keepPacked(serde, typeof encoded === 'string' ? encoded : byteKey(encoded));
  }

  private keepPacked(serde: Serde<T>, packed: PackedBytes): PackedBytes {
    if (serde.immutable === true) {
      this.packed = packed;
      this.packedSerde = serde;
    }
    return packed;
  }

  private unchangedIn(serde: Serde<T>): boolean {
    const own = this.sourceSerde;
    if (own === null || (this.decoded && own.immutable !== true)) return false;
    return isSame(own, serde);
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

/** Whether two serdes make the same bytes. */
function isSame<T>(own: Serde<T> | null, other: Serde<T>): boolean {
  return own === other || (own !== null && own.format !== undefined && own.format === other.format);
}

function encode<T, E extends Encoded>(serde: Serde<T>, value: T, by: (serde: Serde<T>, value: T) => E): E {
  try {
    return by(serde, value);
  } catch (cause) {
    const name = serde.format === undefined ? 'the serde' : `the serde ${serde.format}`;
    throw new SerializationError(`${kindOfValue(value)} does not fit ${name}: ${messageOf(cause)}`, {
      cause,
      details: { format: serde.format },
    });
  }
}
