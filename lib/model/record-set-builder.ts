import { type Encoded, unpackInto } from './byte-key.js';
import { type Headers, RecordSet } from './record-set.js';

const INITIAL_RECORDS = 64;
const INITIAL_BYTES = 4096;
/** After a set was built, the next one is expected to be as large, up to these bounds. */
const MAX_EXPECTED_RECORDS = 2048;
const MAX_EXPECTED_BYTES = 65_536;

/**
 * Collects records into a {@link RecordSet}: keys and values are copied once, into one growing buffer.
 *
 * The offsets of the built set count from 0 unless given: records that are not yet in a log have only an order.
 */
export class RecordSetBuilder {
  private count = 0;
  private used = 0;
  private bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  private offsets = new Float64Array(INITIAL_RECORDS);
  private timestamps = new Float64Array(INITIAL_RECORDS);
  private keyStarts = new Int32Array(INITIAL_RECORDS);
  private keyEnds = new Int32Array(INITIAL_RECORDS);
  private valueStarts = new Int32Array(INITIAL_RECORDS);
  private valueEnds = new Int32Array(INITIAL_RECORDS);
  private headers: (Headers | undefined)[] | undefined;

  /** Records appended so far. */
  get size(): number {
    return this.count;
  }

  /** Bytes of keys and values appended so far. */
  get sizeInBytes(): number {
    return this.used;
  }

  /** Appends one record; `offset` defaults to its index. Packed bytes are written without an array in between. */
  append(
    key: Encoded | null,
    value: Encoded | null,
    timestampMs: number,
    headers?: Headers,
    offset = this.count,
  ): void {
    const index = this.count;
    if (index === this.offsets.length) this.growColumns();
    this.offsets[index] = offset;
    this.timestamps[index] = timestampMs;
    this.keyStarts[index] = key === null ? -1 : this.used;
    if (key !== null) this.copy(key);
    this.keyEnds[index] = this.used;
    this.valueStarts[index] = value === null ? -1 : this.used;
    if (value !== null) this.copy(value);
    this.valueEnds[index] = this.used;
    if (headers !== undefined && headers.length > 0) {
      this.headers ??= [];
      this.headers[index] = headers;
    }
    this.count = index + 1;
  }

  /** Closes the set and starts an empty one: the builder may be used again. */
  build(): RecordSet {
    if (this.count === 0) return RecordSet.EMPTY;
    const size = this.count;
    const set = new RecordSet({
      size,
      bytes: this.bytes.subarray(0, this.used),
      offsets: this.offsets.subarray(0, size),
      timestamps: this.timestamps.subarray(0, size),
      keyStarts: this.keyStarts.subarray(0, size),
      keyEnds: this.keyEnds.subarray(0, size),
      valueStarts: this.valueStarts.subarray(0, size),
      valueEnds: this.valueEnds.subarray(0, size),
      headers: this.headers,
    });
    this.count = 0;
    this.bytes = Buffer.allocUnsafe(Math.min(Math.max(INITIAL_BYTES, this.used), MAX_EXPECTED_BYTES));
    this.used = 0;
    const expected = Math.min(Math.max(INITIAL_RECORDS, size), MAX_EXPECTED_RECORDS);
    this.offsets = new Float64Array(expected);
    this.timestamps = new Float64Array(expected);
    this.keyStarts = new Int32Array(expected);
    this.keyEnds = new Int32Array(expected);
    this.valueStarts = new Int32Array(expected);
    this.valueEnds = new Int32Array(expected);
    this.headers = undefined;
    return set;
  }

  private copy(part: Encoded): void {
    const end = this.used + part.length;
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, end));
      this.bytes.copy(larger, 0, 0, this.used);
      this.bytes = larger;
    }
    if (typeof part === 'string') unpackInto(this.bytes, this.used, part);
    else this.bytes.set(part, this.used);
    this.used = end;
  }

  private growColumns(): void {
    this.offsets = grown(this.offsets, Float64Array);
    this.timestamps = grown(this.timestamps, Float64Array);
    this.keyStarts = grown(this.keyStarts, Int32Array);
    this.keyEnds = grown(this.keyEnds, Int32Array);
    this.valueStarts = grown(this.valueStarts, Int32Array);
    this.valueEnds = grown(this.valueEnds, Int32Array);
  }
}

function grown<A extends Float64Array | Int32Array>(column: A, make: new (size: number) => A): A {
  const larger = new make(column.length * 2);
  larger.set(column);
  return larger;
}
