/**
 * Which batches of an answer a reader gets, as Kafka's consumer decides it (`CompletedFetch`).
 *
 * The broker sends with a read-committed answer the aborted transactions that may be in it, by producer and first offset. A
 * producer's batches are aborted from that offset on, until an abort marker of the same producer: a *control* batch whose
 * record says abort. Two things that look alike are not: a commit marker, and a record whose key has the bytes of a marker's.
 */
import { CorruptRecordError } from '../../../model/errors.js';
import { type BatchHeader, HEADER_BYTES } from './batch-header.js';
import { RecordCursor } from './record-cursor.js';

/** One aborted transaction of a fetch answer. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  /** Offset of its first record (inclusive). */
  readonly firstOffset: number;
}

/** Control records' type (the second i16 of the key); 1 is commit, and brokers have others for themselves. */
const ABORT = 0;
const CONTROL_KEY_BYTES = 4;
const NO_PRODUCER = -1n;

/**
 * The batches with records for the reader: neither control batches nor those of `aborted`, which is null if the reader
 * wants uncommitted records too.
 *
 * @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD if a control record is none
 */
export function visibleBatches(
  buffer: Buffer,
  batches: readonly BatchHeader[],
  aborted: readonly AbortedTransaction[] | null,
): readonly BatchHeader[] {
  if (aborted === null || aborted.length === 0) return batches.filter(({ isControl }) => !isControl);
  const upcoming = aborted.toSorted((one, other) => one.firstOffset - other.firstOffset);
  const abortedProducers = new Set<bigint>();
  const visible: BatchHeader[] = [];
  let begun = 0;
  for (const batch of batches) {
    const { producerId } = batch;
    for (; begun < upcoming.length; begun += 1) {
      const transaction = upcoming[begun] as AbortedTransaction;
      if (transaction.firstOffset > batch.lastOffset) break;
      abortedProducers.add(transaction.producerId);
    }
    if (batch.isControl) {
      if (isAbortMarker(buffer, batch)) abortedProducers.delete(producerId);
    } else if (producerId === NO_PRODUCER || !batch.isTransactional || !abortedProducers.has(producerId)) {
      visible.push(batch);
    }
  }
  return visible;
}

/** Markers are never compressed, and compaction may have taken the record out of one. */
function isAbortMarker(buffer: Buffer, { start, end, count, codecId, baseOffset }: BatchHeader): boolean {
  if (count === 0) return false;
  const cursor = new RecordCursor(buffer, start + HEADER_BYTES);
  cursor.varint();
  cursor.at += 1;
  cursor.varlong();
  cursor.varint();
  const keyBytes = cursor.varint();
  if (codecId !== 0 || keyBytes < CONTROL_KEY_BYTES || cursor.at + keyBytes > end)
    throw new CorruptRecordError('a control record has no type', { details: { baseOffset } });
  return buffer.readInt16BE(cursor.at + 2) === ABORT;
}
