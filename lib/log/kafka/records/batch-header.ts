/**
 * The header of a record batch, format 2 (KIP-98), as Kafka stores and sends it.
 *
 * ```
 *  0 base offset i64    8 length i32   12 leader epoch i32   16 magic i8   17 CRC-32C u32, of everything from 21 on
 * 21 attributes i16    23 last offset delta i32   27 base timestamp i64    35 max timestamp i64
 * 43 producer id i64   51 producer epoch i16      53 base sequence i32     57 record count i32   61 records
 * ```
 */

import type { Digest } from '../../../host/host.js';
import { CorruptRecordError, UnsupportedRecordFormatError } from '../../../model/errors.js';
import type { Offset } from '../../../model/offset.js';
import { readSafeInt64 } from './int64.js';

export const MAGIC = 2;
/** What `length` does not count: the base offset and itself. */
export const LENGTH_OVERHEAD = 12;
/** Size of the header, in bytes; the records begin there. */
export const HEADER_BYTES = 61;

/** Where the fields of the header begin. */
export const AT = {
  baseOffset: 0,
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  count: 57,
} as const;

export const CODEC_MASK = 0x07;
export const LOG_APPEND_TIME = 0x08;
export const TRANSACTIONAL = 0x10;
export const CONTROL = 0x20;

/** A length, an attributes byte, a timestamp and an offset delta, two lengths and a header count: the smallest record. */
const MIN_RECORD_BYTES = 7;

/** The header of one whole batch of a buffer whose checksum was found right. */
export interface BatchHeader {
  /** Range [start, end) of the batch in its buffer. */
  readonly start: number;
  readonly end: number;
  readonly baseOffset: number;
  /** Offset of the last record the batch was written with (inclusive): compaction keeps it when it takes that record. */
  readonly lastOffset: number;
  readonly nextOffset: Offset;
  readonly codecId: number;
  readonly isControl: boolean;
  readonly isTransactional: boolean;
  /** The broker's own time, for all records of the batch; else each record has its own. */
  readonly logAppendTimeMs: number | undefined;
  readonly baseTimestampMs: number;
  readonly producerId: bigint;
  readonly count: number;
}

/**
 * Reads the header of the batch at `start` and checks the batch's checksum.
 *
 * @returns undefined if the buffer ends within the batch: a broker cuts the last batch of an answer off
 * @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD · {UnsupportedRecordFormatError} STREAMS_UNSUPPORTED_RECORD_FORMAT
 */
export function readBatchHeader(
  buffer: Buffer,
  start: number,
  digest: Pick<Digest, 'crc32c'>,
): BatchHeader | undefined {
  if (buffer.length - start <= AT.magic) return undefined;
  checkMagic(buffer, start);
  const sizeBytes = LENGTH_OVERHEAD + buffer.readInt32BE(start + AT.length);
  if (sizeBytes < HEADER_BYTES)
    throw corrupt(`a batch of ${sizeBytes} bytes is shorter than its header`, buffer, start);
  const end = start + sizeBytes;
  if (end > buffer.length) return undefined;
  if (digest.crc32c(buffer.subarray(start + AT.attributes, end)) !== buffer.readUInt32BE(start + AT.crc))
    throw corrupt('the checksum of a batch is wrong', buffer, start);

  const attributes = buffer.readInt16BE(start + AT.attributes);
  const baseOffset = readSafeInt64(buffer, start + AT.baseOffset) ?? -1;
  const lastOffset = baseOffset + buffer.readInt32BE(start + AT.lastOffsetDelta);
  if (baseOffset < 0 || lastOffset < baseOffset || lastOffset >= Number.MAX_SAFE_INTEGER)
    throw corrupt('the offsets of a batch are none', buffer, start);
  const count = buffer.readInt32BE(start + AT.count);
  const codecId = attributes & CODEC_MASK;
  if (count < 0 || (codecId === 0 && count * MIN_RECORD_BYTES > sizeBytes - HEADER_BYTES))
    throw corrupt(`a batch has no room for its ${count} records`, buffer, start);
  const baseTimestampMs = readSafeInt64(buffer, start + AT.baseTimestamp);
  const maxTimestampMs = readSafeInt64(buffer, start + AT.maxTimestamp);
  if (baseTimestampMs === undefined || maxTimestampMs === undefined) throw timestampOutOfRange(baseOffset);
  return {
    start,
    end,
    baseOffset,
    lastOffset,
    nextOffset: (lastOffset + 1) as Offset,
    codecId,
    isControl: (attributes & CONTROL) !== 0,
    isTransactional: (attributes & TRANSACTIONAL) !== 0,
    logAppendTimeMs: (attributes & LOG_APPEND_TIME) === 0 ? undefined : maxTimestampMs,
    baseTimestampMs,
    producerId: buffer.readBigInt64BE(start + AT.producerId),
    count,
  };
}

/** Whether `sizeBytes` bytes can hold that many records; a count is not believed before memory is taken for it. */
export function canHold(count: number, sizeBytes: number): boolean {
  return count * MIN_RECORD_BYTES <= sizeBytes;
}

/** Timestamps are kept as exact numbers: 2^53 ms are 285,000 years. */
export function timestampOutOfRange(baseOffset: number): UnsupportedRecordFormatError {
  return new UnsupportedRecordFormatError('a timestamp is outside ±2^53 ms', { details: { baseOffset } });
}

function checkMagic(buffer: Buffer, start: number): void {
  const magic = buffer.readInt8(start + AT.magic);
  if (magic === MAGIC) return;
  if (magic === 0 || magic === 1)
    throw new UnsupportedRecordFormatError(`record format ${magic} is older than Kafka 0.11`, {
      details: { magic, baseOffset: readSafeInt64(buffer, start) },
    });
  throw corrupt(`record format ${magic} is unknown`, buffer, start);
}

function corrupt(message: string, buffer: Buffer, start: number): CorruptRecordError {
  return new CorruptRecordError(message, { details: { baseOffset: readSafeInt64(buffer, start), at: start } });
}
