/**
 * What a partition is made of: batches of records as they were appended, by columns, and control markers.
 *
 * Invariants
 *   B1  a batch covers the offsets [baseOffset, nextOffset), whether or not each of them still has a record
 *   B2  `offsets` is undefined while record i has offset baseOffset + i; else it names the offset of each record
 *   B3  columns are never changed after they were stored; only `state` moves, from `open` to `committed` or `aborted`
 */
import type { Header, RecordColumns } from '../../model/record-set.js';

/** `plain` batches count as committed; a `marker` ends a transaction and holds no record. */
export type BatchState = 'open' | 'committed' | 'aborted' | 'marker';

/** Columns as stored: without the offsets, as long as they can be counted (8 bytes a record saved). */
export type StoredColumns = Omit<RecordColumns, 'offsets'> & { readonly offsets: Float64Array | undefined };

export interface Batch {
  readonly baseOffset: number;
  /** First offset after the batch (exclusive). */
  readonly nextOffset: number;
  readonly columns: StoredColumns;
  state: BatchState;
  /** Keys, values and headers, and an overhead per record. */
  readonly sizeBytes: number;
  /** Largest record timestamp; the time of the append if no record has one. */
  readonly maxTimestampMs: number;
  readonly appendedAtMs: number;
  /** Set by the first compaction that met tombstones here: they may go at this time. Kafka: `deleteHorizonMs`. */
  readonly deleteHorizonMs: number | null;
}

/** Stored bytes that a record takes besides key, value and headers: offset, timestamp and lengths. Kafka: about 10. */
export const RECORD_OVERHEAD_BYTES = 10;
/** What a batch of one record takes on a broker besides the record: compared with `max.message.bytes`. */
export const BATCH_OVERHEAD_BYTES = 61;

export const NO_COLUMNS: StoredColumns = {
  size: 0,
  bytes: Buffer.alloc(0),
  offsets: undefined,
  timestamps: new Float64Array(0),
  keyStarts: new Int32Array(0),
  keyEnds: new Int32Array(0),
  valueStarts: new Int32Array(0),
  valueEnds: new Int32Array(0),
  headers: undefined,
};

export interface Measure {
  readonly sizeBytes: number;
  readonly largestRecordBytes: number;
  /** Index of the first record of that size; −1 if there is none. */
  readonly largestRecord: number;
  /** −1 if no record has a timestamp. */
  readonly maxTimestampMs: number;
  /** Index of the first record without a key; −1 if all have one. */
  readonly firstNullKey: number;
  /** Index of the first record whose timestamp is neither −1 nor a whole number from 0 to 2^53 − 1; −1 if all are. */
  readonly firstBadTimestamp: number;
}

/** Walks the records once and answers what an append has to know about them. */
export function measure(columns: Omit<RecordColumns, 'offsets'>): Measure {
  const { size, keyStarts, keyEnds, valueStarts, valueEnds, timestamps } = columns;
  let sizeBytes = 0;
  let largestRecordBytes = 0;
  let largestRecord = -1;
  let maxTimestampMs = -1;
  let firstNullKey = -1;
  let firstBadTimestamp = -1;
  for (let index = 0; index < size; index += 1) {
    const keyStart = keyStarts[index] as number;
    const valueStart = valueStarts[index] as number;
    let bytes = RECORD_OVERHEAD_BYTES;
    if (keyStart >= 0) bytes += (keyEnds[index] as number) - keyStart;
    else if (firstNullKey < 0) firstNullKey = index;
    if (valueStart >= 0) bytes += (valueEnds[index] as number) - valueStart;
    const headers = columns.headers?.[index];
    if (headers !== undefined) for (const header of headers) bytes += headerBytes(header);
    sizeBytes += bytes;
    if (bytes > largestRecordBytes) {
      largestRecordBytes = bytes;
      largestRecord = index;
    }
    const timestamp = timestamps[index] as number;
    if (timestamp > maxTimestampMs) maxTimestampMs = timestamp;
    if (firstBadTimestamp < 0 && !(Number.isSafeInteger(timestamp) && timestamp >= -1)) firstBadTimestamp = index;
  }
  return { sizeBytes, largestRecordBytes, largestRecord, maxTimestampMs, firstNullKey, firstBadTimestamp };
}

function headerBytes(header: Header): number {
  return Buffer.byteLength(header.key) + (header.value?.length ?? 0) + 2;
}

/** A batch of these columns at `baseOffset`, covering up to `nextOffset`. */
export function makeBatch(
  columns: StoredColumns,
  at: {
    readonly baseOffset: number;
    readonly nextOffset: number;
    readonly state: BatchState;
    readonly appendedAtMs: number;
    readonly deleteHorizonMs?: number | null;
  },
  measured: Measure = measure(columns),
): Batch {
  return {
    baseOffset: at.baseOffset,
    nextOffset: at.nextOffset,
    columns,
    state: at.state,
    sizeBytes: measured.sizeBytes,
    maxTimestampMs: measured.maxTimestampMs < 0 ? at.appendedAtMs : measured.maxTimestampMs,
    appendedAtMs: at.appendedAtMs,
    deleteHorizonMs: at.deleteHorizonMs ?? null,
  };
}

/** The offset of record `index`. */
export function offsetAt(batch: Batch, index: number): number {
  const { offsets } = batch.columns;
  return offsets === undefined ? batch.baseOffset + index : (offsets[index] as number);
}

/** Index of the first record at or above `fromOffset`; the size if there is none. */
export function indexFrom(batch: Batch, fromOffset: number): number {
  const { offsets, size } = batch.columns;
  if (offsets === undefined) return Math.min(size, Math.max(0, fromOffset - batch.baseOffset));
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((offsets[middle] as number) < fromOffset) low = middle + 1;
    else high = middle;
  }
  return low;
}
