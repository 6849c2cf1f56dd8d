/**
 * Records in motion: columns over one buffer.
 *
 * What the log reads and what it is given to write have this one shape. A record is an index; its key and value are
 * ranges of `bytes` that nobody copies or decodes before somebody asks. This is why a fetched batch costs a few typed
 * arrays and not three objects a record.
 *
 * Invariants
 *   R1  every column has at least `size` entries; entry `i` of each belongs to record `i`
 *   R2  a key (value) is null if its start is −1; else it is bytes [start, end), start ≤ end ≤ bytes.length
 *   R3  offsets grow strictly; they may have gaps (control records, aborted records, compaction)
 *   R4  nobody changes a set after it was built
 */
import type { Offset } from './offset.js';

/** One header of a record. Names may repeat; order is kept. */
export interface Header {
  readonly key: string;
  readonly value: Uint8Array | null;
}
/** The headers of a record, in the order in which they were written. */
export type Headers = readonly Header[];
/** What a record without headers has. */
export const NO_HEADERS: Headers = Object.freeze([]);

/** One record taken out of a set: convenient, and one object a record; the engine's hot path reads the columns instead. */
export interface LogRecord {
  readonly offset: Offset;
  /** Milliseconds since the epoch, as in the log: 0 and −1 are kept as they are. */
  readonly timestampMs: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

/** The columns of a set; see the invariants above. */
export interface RecordColumns {
  readonly size: number;
  readonly bytes: Buffer;
  readonly offsets: Float64Array;
  readonly timestamps: Float64Array;
  readonly keyStarts: Int32Array;
  readonly keyEnds: Int32Array;
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;
  /** Headers by record, absent when no record of the set has any. */
  readonly headers: readonly (Headers | undefined)[] | undefined;
}

/** An immutable run of records of one partition. */
export class RecordSet implements RecordColumns {
  static readonly EMPTY = new RecordSet({
    size: 0,
    bytes: Buffer.alloc(0),
    offsets: new Float64Array(0),
    timestamps: new Float64Array(0),
    keyStarts: new Int32Array(0),
    keyEnds: new Int32Array(0),
    valueStarts: new Int32Array(0),
    valueEnds: new Int32Array(0),
    headers: undefined,
  });

  readonly size: number;
  readonly bytes: Buffer;
  readonly offsets: Float64Array;
  readonly timestamps: Float64Array;
  readonly keyStarts: Int32Array;
  readonly keyEnds: Int32Array;
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;
  readonly headers: readonly (Headers | undefined)[] | undefined;

  constructor(columns: RecordColumns) {
    this.size = columns.size;
    this.bytes = columns.bytes;
    this.offsets = columns.offsets;
    this.timestamps = columns.timestamps;
    this.keyStarts = columns.keyStarts;
    this.keyEnds = columns.keyEnds;
    this.valueStarts = columns.valueStarts;
    this.valueEnds = columns.valueEnds;
    this.headers = columns.headers;
  }

  /** Key of record `index`, a view of `bytes`, or null. */
  key(index: number): Uint8Array | null {
    const start = this.keyStarts[index] as number;
    return start < 0 ? null : this.bytes.subarray(start, this.keyEnds[index]);
  }

  /** Value of record `index`, a view of `bytes`, or null. */
  value(index: number): Uint8Array | null {
    const start = this.valueStarts[index] as number;
    return start < 0 ? null : this.bytes.subarray(start, this.valueEnds[index]);
  }

  headersOf(index: number): Headers {
    return this.headers?.[index] ?? NO_HEADERS;
  }

  /** Record `index` as one object of views. */
  record(index: number): LogRecord {
    return {
      offset: this.offsets[index] as Offset,
      timestampMs: this.timestamps[index] as number,
      key: this.key(index),
      value: this.value(index),
      headers: this.headersOf(index),
    };
  }

  /** All records in order, as objects of views. */
  *[Symbol.iterator](): Generator<LogRecord> {
    for (let index = 0; index < this.size; index += 1) yield this.record(index);
  }

  /** Records [from, to) as a set over the same buffer. */
  slice(from: number, to: number): RecordSet {
    return new RecordSet({
      size: to - from,
      bytes: this.bytes,
      offsets: this.offsets.subarray(from, to),
      timestamps: this.timestamps.subarray(from, to),
      keyStarts: this.keyStarts.subarray(from, to),
      keyEnds: this.keyEnds.subarray(from, to),
      valueStarts: this.valueStarts.subarray(from, to),
      valueEnds: this.valueEnds.subarray(from, to),
      headers: this.headers?.slice(from, to),
    });
  }
}
