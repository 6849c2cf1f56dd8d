/** What a call may ask of a partition. */
import { InvalidRecordError, OffsetOutOfRangeError, RecordTooLargeError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import type { RecordSet } from '../../model/record-set.js';
import type { TopicPartition } from '../../model/topic-partition.js';
import type { OffsetSpec } from '../log.js';
import { BATCH_OVERHEAD_BYTES, type Measure, measure } from './batch.js';
import type { PartitionLog } from './partition-log.js';

export function placeOf({ topic, partition }: PartitionLog): TopicPartition {
  return { topic, partition };
}

export function offsetFor(partition: PartitionLog, spec: OffsetSpec): Offset {
  if (spec === 'earliest') return partition.logStartOffset;
  if (spec === 'highWatermark') return partition.endOffset;
  if (spec === 'lastStable') return partition.lastStableOffset;
  return partition.offsetAtTime(spec.timestampMs);
}

/** Bytes of a key that an error shows. */
const KEY_SHOWN_BYTES = 100;

/**
 * Checks records that somebody wants to append.
 *
 * @throws {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE · {InvalidRecordError} STREAMS_INVALID_RECORD
 */
export function checkRecords(partition: PartitionLog, records: RecordSet, measured: Measure): void {
  const { topic, partition: number, settings } = partition;
  const recordBytes = measured.largestRecordBytes + BATCH_OVERHEAD_BYTES;
  const maxBytes = settings.maxMessageBytes;
  if (recordBytes > maxBytes) {
    const key = shownKey(records.key(measured.largestRecord));
    throw new RecordTooLargeError(
      `${topic}-${number}: the record with key ${key} takes ${recordBytes} bytes of ${maxBytes}`,
      { refused: tooLarge(records, maxBytes), details: { topic, partition: number, key, recordBytes, maxBytes } },
    );
  }
  if (measured.firstBadTimestamp >= 0)
    throw new InvalidRecordError(
      `${topic}-${number}: a record has the timestamp ${records.timestamps[measured.firstBadTimestamp]}`,
      {
        details: { topic, partition: number, index: measured.firstBadTimestamp },
        remedy: 'Give timestamps in whole milliseconds from 0 to 2^53 − 1, or −1 for none.',
      },
    );
  if (settings.compact && measured.firstNullKey >= 0)
    throw new InvalidRecordError(`${topic}-${number}: a compacted topic takes no record without a key`, {
      details: { topic, partition: number, index: measured.firstNullKey },
    });
}

function tooLarge(records: RecordSet, maxBytes: number): readonly number[] {
  const indexes = Array.from({ length: records.size }, (_, index) => index);
  return indexes.filter((index) => {
    const { largestRecordBytes } = measure(records.slice(index, index + 1));
    return largestRecordBytes + BATCH_OVERHEAD_BYTES > maxBytes;
  });
}

function shownKey(key: Uint8Array | null): string {
  if (key === null) return 'null';
  const shown = Buffer.from(key.subarray(0, KEY_SHOWN_BYTES)).toString('utf8');
  return `'${shown}'${key.length > KEY_SHOWN_BYTES ? '…' : ''}`;
}

/**
 * Checks an offset that records are to be deleted before.
 *
 * @throws {OffsetOutOfRangeError} STREAMS_OFFSET_OUT_OF_RANGE beyond the end
 */
export function checkDeletable(partition: PartitionLog, requestedOffset: number): void {
  const { topic, partition: number, logStartOffset, endOffset } = partition;
  if (Number.isSafeInteger(requestedOffset) && requestedOffset >= 0 && requestedOffset <= endOffset) return;
  throw new OffsetOutOfRangeError(`${topic}-${number}: nothing can be deleted before ${requestedOffset}`, {
    details: { topic, partition: number, requestedOffset, logStartOffset, endOffset },
  });
}
