/** The records of batches as columns: the innermost loop of reading, which allocates nothing for a record without headers. */
import { CorruptRecordError } from '../../../model/errors.js';
import { type Header, type Headers, RecordSet } from '../../../model/record-set.js';
import { type BatchHeader, timestampOutOfRange } from './batch-header.js';
import { RecordCursor } from './record-cursor.js';

/** The records of one batch as bytes, decompressed: range [start, end) of the buffer of the set. */
export interface BatchRecords {
  readonly batch: BatchHeader;
  readonly start: number;
  readonly end: number;
}

/** Bytes of a header of a record at least: two lengths. */
const MIN_HEADER_BYTES = 2;

/** Collects the records of several batches over one buffer; the columns have room for `capacity` records. */
export class RecordDecoder {
  private readonly bytes: Buffer;
  private readonly capacity: number;
  private readonly offsets: Float64Array;
  private readonly timestamps: Float64Array;
  private readonly keyStarts: Int32Array;
  private readonly keyEnds: Int32Array;
  private readonly valueStarts: Int32Array;
  private readonly valueEnds: Int32Array;
  private headers: (Headers | undefined)[] | undefined;
  private count = 0;

  constructor(bytes: Buffer, capacity: number) {
    this.bytes = bytes;
    this.capacity = capacity;
    this.offsets = new Float64Array(capacity);
    this.timestamps = new Float64Array(capacity);
    this.keyStarts = new Int32Array(capacity);
    this.keyEnds = new Int32Array(capacity);
    this.valueStarts = new Int32Array(capacity);
    this.valueEnds = new Int32Array(capacity);
  }

  /**
   * Adds the records of a batch at and above `fromOffset`.
   *
   * @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD if the bytes are not the records that the header promises ·
   *   {UnsupportedRecordFormatError} STREAMS_UNSUPPORTED_RECORD_FORMAT if a timestamp is no exact number
   */
  add({ batch, start, end }: BatchRecords, fromOffset: number): void {
    const { offsets, timestamps, keyStarts, keyEnds, valueStarts, valueEnds } = this;
    const { baseOffset, baseTimestampMs, logAppendTimeMs } = batch;
    const cursor = new RecordCursor(this.bytes, start);
    let index = this.count;
    let lastOffset = baseOffset - 1;
    for (let left = batch.count; left > 0; left -= 1) {
      const sizeBytes = cursor.varint();
      const recordEnd = cursor.at + sizeBytes;
      if (sizeBytes < 0 || recordEnd > end) throw corrupt('a record ends outside its batch', batch);
      cursor.at += 1; // attributes: none are in use

      const timestampMs = baseTimestampMs + cursor.varlong();
      if (!(timestampMs <= Number.MAX_SAFE_INTEGER && timestampMs >= Number.MIN_SAFE_INTEGER))
        throw timestampOutOfRange(baseOffset);
      const offset = baseOffset + cursor.varint();
      if (offset <= lastOffset || offset > batch.lastOffset) throw corrupt('offsets of a batch do not grow', batch);
      lastOffset = offset;

      const keyBytes = cursor.varint();
      const keyStart = keyBytes < 0 ? -1 : cursor.at;
      if (keyBytes > 0) cursor.at += keyBytes;
      const keyEnd = cursor.at;
      const valueBytes = cursor.varint();
      const valueStart = valueBytes < 0 ? -1 : cursor.at;
      if (valueBytes > 0) cursor.at += valueBytes;
      const valueEnd = cursor.at;

      const headerCount = cursor.varint();
      const isWanted = offset >= fromOffset;
      if (headerCount !== 0) {
        const headers = decodeHeaders(cursor, headerCount, recordEnd, batch);
        if (isWanted) this.setHeaders(index, headers);
      }
      if (cursor.at !== recordEnd) throw corrupt('a record is not as long as it says', batch);

      if (!isWanted) continue;
      offsets[index] = offset;
      timestamps[index] = logAppendTimeMs ?? timestampMs;
      keyStarts[index] = keyStart;
      keyEnds[index] = keyEnd;
      valueStarts[index] = valueStart;
      valueEnds[index] = valueEnd;
      index += 1;
    }
    if (cursor.at !== end) throw corrupt('a batch has more bytes than its records', batch);
    this.count = index;
  }

  /** The records added, as a set over the buffer. */
  build(): RecordSet {
    if (this.count === 0) return RecordSet.EMPTY;
    const { bytes, offsets, timestamps, keyStarts, keyEnds, valueStarts, valueEnds, headers } = this;
    const columns = { bytes, offsets, timestamps, keyStarts, keyEnds, valueStarts, valueEnds, headers };
    return new RecordSet({ size: this.count, ...columns });
  }

  private setHeaders(index: number, headers: Headers): void {
    this.headers ??= new Array<Headers | undefined>(this.capacity).fill(undefined);
    this.headers[index] = headers;
  }
}

function decodeHeaders(cursor: RecordCursor, count: number, recordEnd: number, batch: BatchHeader): Headers {
  if (count < 0 || count * MIN_HEADER_BYTES > recordEnd - cursor.at)
    throw corrupt('a record has no room for its headers', batch);
  const { bytes } = cursor;
  const headers: Header[] = [];
  for (let left = count; left > 0; left -= 1) {
    const keyBytes = cursor.varint();
    const keyStart = cursor.at;
    if (keyBytes < 0 || keyStart + keyBytes > recordEnd) throw corrupt('a header ends outside its record', batch);
    cursor.at += keyBytes;
    const valueBytes = cursor.varint();
    const valueStart = cursor.at;
    if (valueStart + valueBytes > recordEnd) throw corrupt('a header ends outside its record', batch);
    if (valueBytes > 0) cursor.at += valueBytes;
    headers.push({
      key: Buffer.from(bytes.buffer, bytes.byteOffset + keyStart, keyBytes).toString('utf8'),
      value: valueBytes < 0 ? null : bytes.subarray(valueStart, valueStart + valueBytes),
    });
  }
  return headers;
}

function corrupt(message: string, { baseOffset, count }: BatchHeader): CorruptRecordError {
  return new CorruptRecordError(message, { details: { baseOffset, count } });
}
