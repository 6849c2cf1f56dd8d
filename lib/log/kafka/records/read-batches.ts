/**
 * What a broker answers to a fetch, as a record set: pure, from the bytes of one partition to columns.
 *
 * Invariants
 *   B1  `nextOffset` is behind the last whole batch that was looked at, whether it had records, markers, or nothing: a reader
 *       that goes on there reaches the end of the log
 *   B2  keys and values are ranges of the answer itself; only compressed batches are copied, into one other buffer
 *   B3  what is not a log ends in a typed error: never in a wrong record, and never in more memory than the bounds below
 */
import type { Digest } from '../../../host/host.js';
import { CorruptRecordError, UnsupportedRecordFormatError } from '../../../model/errors.js';
import type { Offset } from '../../../model/offset.js';
import type { RecordSet } from '../../../model/record-set.js';
import type { IsolationLevel } from '../../log.js';
import { type AbortedTransaction, visibleBatches } from './aborted-transactions.js';
import { type BatchHeader, canHold, HEADER_BYTES, readBatchHeader } from './batch-header.js';
import type { RecordCodecs } from './codecs.js';
import { type BatchRecords, RecordDecoder } from './decode-records.js';

/** Bytes that one batch may decompress to; a batch is written whole, by a client that held it in memory. */
export const MAX_DECOMPRESSED_BATCH_BYTES = 64 * 1024 * 1024;
/** When the batches of an answer have decompressed to this many bytes, the rest is left to the next read. */
export const ENOUGH_DECOMPRESSED_BYTES = 16 * 1024 * 1024;

export interface ReadBatchesOptions {
  /** First offset wanted (inclusive); a batch may begin below it. */
  readonly fromOffset: Offset;
  readonly isolation: IsolationLevel;
  /** The aborted transactions that the broker sent along, in any order; null where it sent none. */
  readonly abortedTransactions: readonly AbortedTransaction[] | null;
  readonly digest: Pick<Digest, 'crc32c'>;
  readonly codecs: RecordCodecs;
}

export interface ReadBatchesResult {
  readonly records: RecordSet;
  /** Where to read on (exclusive end of what was read); never below `fromOffset`, and above it if there was a batch. */
  readonly nextOffset: Offset;
}

/**
 * Reads the batches of one partition's answer. A last batch that is cut off is left to the next read.
 *
 * @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD if the bytes are no batches, or not even one whole batch ·
 *   {UnsupportedRecordFormatError} STREAMS_UNSUPPORTED_RECORD_FORMAT for formats before Kafka 0.11 and unknown codecs ·
 *   {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE if a batch decompresses to more than MAX_DECOMPRESSED_BATCH_BYTES
 * @see Kafka's `CompletedFetch` and `DefaultRecordBatch`; unlike them we refuse offsets that do not grow
 */
export function readBatches(buffer: Buffer, options: ReadBatchesOptions): ReadBatchesResult {
  const { fromOffset, isolation, abortedTransactions, digest, codecs } = options;
  const batches = scanBatches(buffer, digest);
  const aborted = isolation === 'readCommitted' ? abortedTransactions : null;
  const visible = visibleBatches(buffer, batches, aborted).filter(
    ({ count, lastOffset }) => count > 0 && lastOffset >= fromOffset,
  );
  const { bytes, parts } = uncompressed(buffer, visible, codecs);

  let capacity = 0;
  for (const { batch } of parts) capacity += batch.count;
  const decoder = new RecordDecoder(bytes, capacity);
  for (const part of parts) decoder.add(part, fromOffset);

  const last = parts.length < visible.length ? parts.at(-1)?.batch : batches.at(-1);
  const nextOffset = last === undefined || last.nextOffset < fromOffset ? fromOffset : last.nextOffset;
  return { records: decoder.build(), nextOffset };
}

function scanBatches(buffer: Buffer, digest: Pick<Digest, 'crc32c'>): readonly BatchHeader[] {
  const batches: BatchHeader[] = [];
  let at = 0;
  let nextOffset = 0;
  while (at < buffer.length) {
    const batch = readBatchHeader(buffer, at, digest);
    if (batch === undefined) break;
    const { baseOffset, end } = batch;
    if (baseOffset < nextOffset)
      throw new CorruptRecordError('batches overlap', { details: { baseOffset, expectedAtLeast: nextOffset } });
    batches.push(batch);
    nextOffset = batch.nextOffset;
    at = end;
  }
  // A broker sends at least one whole batch (KIP-74): to read again would bring the same bytes, for ever.
  if (batches.length === 0 && buffer.length > 0)
    throw new CorruptRecordError('an answer has bytes but no whole batch', { details: { sizeBytes: buffer.length } });
  return batches;
}

interface Uncompressed {
  readonly bytes: Buffer;
  readonly parts: readonly BatchRecords[];
}

/** All batches over one buffer: the answer's own if nothing is compressed. Stops early when it has enough bytes. */
function uncompressed(buffer: Buffer, batches: readonly BatchHeader[], codecs: RecordCodecs): Uncompressed {
  if (batches.every(({ codecId }) => codecId === 0))
    return {
      bytes: buffer,
      parts: batches.map((batch) => ({ batch, start: batch.start + HEADER_BYTES, end: batch.end })),
    };
  const chunks: Buffer[] = [];
  const parts: BatchRecords[] = [];
  let sizeBytes = 0;
  for (const batch of batches) {
    if (sizeBytes >= ENOUGH_DECOMPRESSED_BYTES) break;
    const chunk = decompress(buffer, batch, codecs);
    if (!canHold(batch.count, chunk.length))
      throw new CorruptRecordError(`a batch has no room for its ${batch.count} records`, {
        details: { baseOffset: batch.baseOffset },
      });
    chunks.push(chunk);
    parts.push({ batch, start: sizeBytes, end: sizeBytes + chunk.length });
    sizeBytes += chunk.length;
  }
  const [only] = chunks;
  return { bytes: only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, sizeBytes), parts };
}

function decompress(buffer: Buffer, { start, end, codecId, baseOffset }: BatchHeader, codecs: RecordCodecs): Buffer {
  const records = buffer.subarray(start + HEADER_BYTES, end);
  if (codecId === 0) return records;
  const codec = codecs.byId(codecId);
  if (codec === undefined)
    throw new UnsupportedRecordFormatError(`codec ${codecId} of a batch is unknown`, {
      details: { codecId, baseOffset },
    });
  return codec.decompress(records, MAX_DECOMPRESSED_BATCH_BYTES);
}
