/**
 * Record sets as the batches that a produce request carries: as few as fit, each written once, into a buffer of its exact size.
 *
 * Invariants
 *   E1  no batch is larger than `maxBatchBytes`, its header included, as brokers hold `max.message.bytes` against it
 *   E2  the batches have the records of [from, to) in order, each once; timestamps are written as they are, 0 and −1 too
 *   E3  `baseSequence` of a batch is that of the one before plus its records, and 0 follows 2^31 − 1
 */
import type { Digest } from '../../../host/host.js';
import { InvalidRecordError, InvalidSettingError, RecordTooLargeError } from '../../../model/errors.js';
import type { RecordSet } from '../../../model/record-set.js';
import { type TopicPartition, topicPartitionKey } from '../../../model/topic-partition.js';
import { AT, HEADER_BYTES, LENGTH_OVERHEAD, MAGIC, TRANSACTIONAL } from './batch-header.js';
import { writeSafeInt64 } from './int64.js';
import type { RecordCodec } from './record-codec.js';
import { RecordWriter, recordBodyBytes, varintBytes } from './record-writer.js';

/** Sequence numbers are 31 bits wide (`DefaultRecordBatch.incrementSequence`). */
const SEQUENCES = 2 ** 31;
/** What a producer that is neither idempotent nor transactional has for an id, an epoch and a sequence. */
export const NO_PRODUCER = { producerId: -1n, producerEpoch: -1, baseSequence: -1 } as const;
const UNKNOWN_LEADER_EPOCH = -1;
/** Of a key that is too large only the beginning goes into an error. */
const MAX_KEY_BYTES_IN_ERROR = 64;

export interface EncodeBatchesOptions {
  /** Records [from, to) of the set. */
  readonly from: number;
  readonly to: number;
  /** With `producerEpoch` and `baseSequence` of {@link NO_PRODUCER} for plain writes. */
  readonly producerId: bigint;
  readonly producerEpoch: number;
  /** Sequence number of record `from`; −1 is not counted on. */
  readonly baseSequence: number;
  readonly isTransactional: boolean;
  /** Undefined writes the records as they are. */
  readonly compression: RecordCodec | undefined;
  /** Bound of a batch with its header, in bytes: `max.message.bytes` of the topic. */
  readonly maxBatchBytes: number;
  /** Bytes of a batch of several records, where that is known to be less; one record is tried up to `maxBatchBytes`. */
  readonly packBytes?: number;
  readonly digest: Pick<Digest, 'crc32c'>;
  /** For errors: where the records go. */
  readonly place?: TopicPartition;
}

export interface EncodedBatch {
  readonly bytes: Buffer;
  /** Records [from, to) of the set. */
  readonly from: number;
  readonly to: number;
  readonly baseSequence: number;
}

/** The sequence number `count` records after `sequence`. */
export function sequenceAfter(sequence: number, count: number): number {
  return sequence < 0 ? sequence : (sequence + count) % SEQUENCES;
}

/**
 * Writes records as batches of format 2. Nothing is written if one of them does not fit.
 *
 * @throws {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE if a record alone is more than a batch may be ·
 *   {InvalidRecordError} STREAMS_INVALID_RECORD if a timestamp is no whole number ·
 *   {InvalidSettingError} STREAMS_INVALID_SETTING if this Node can not write the compression
 */
export function encodeBatches(records: RecordSet, options: EncodeBatchesOptions): readonly EncodedBatch[] {
  const { to, compression } = options;
  if (compression !== undefined && compression.compress === undefined)
    throw new InvalidSettingError(`this Node can not write ${compression.name}`, {
      details: { compression: compression.name },
    });
  const batches: EncodedBatch[] = [];
  let { from, baseSequence } = options;
  try {
    while (from < to) {
      const plan = planBatch(records, from, options);
      batches.push({ bytes: writeBatch(records, plan, baseSequence, options), from, to: plan.to, baseSequence });
      baseSequence = sequenceAfter(baseSequence, plan.to - from);
      from = plan.to;
    }
  } catch (thrown) {
    throw thrown instanceof TooLarge ? refusal(records, thrown.plan, options) : thrown;
  }
  return batches;
}

/** All records that are too large for a batch of their own, from one on. */
function tooLargeFrom(records: RecordSet, first: number, options: EncodeBatchesOptions): readonly number[] {
  const refused: number[] = [];
  for (let index = first; index < options.to; index += 1) {
    try {
      const plan = planBatch(records, index, { ...options, to: index + 1 });
      if (plan.sizeBytes > options.maxBatchBytes) writeBatch(records, plan, 0, options);
    } catch (thrown) {
      if (!(thrown instanceof TooLarge)) throw thrown;
      refused.push(index);
    }
  }
  return refused;
}

/** Records [from, to) of one batch. */
interface BatchPlan {
  readonly from: number;
  readonly to: number;
  readonly sizeBytes: number;
  readonly maxTimestampMs: number;
}

/** As many records from `from` on as fit, uncompressed; one is taken in any case. */
function planBatch(records: RecordSet, from: number, options: EncodeBatchesOptions): BatchPlan {
  const { to: end, maxBatchBytes, packBytes = maxBatchBytes } = options;
  const mostBytes = Math.min(packBytes, maxBatchBytes);
  const { timestamps } = records;
  const baseTimestampMs = checkedTimestamp(records, from);
  let maxTimestampMs = baseTimestampMs;
  let sizeBytes = HEADER_BYTES;
  let to = from;
  while (to < end) {
    const timestampMs = timestamps[to] as number;
    const delta = timestampMs - baseTimestampMs;
    // Also true for what is no whole number: it begins a batch, where it is refused.
    if (!Number.isSafeInteger(delta) || !Number.isSafeInteger(timestampMs)) break;
    const bodyBytes = recordBodyBytes(records, to, delta, to - from);
    const recordBytes = varintBytes(bodyBytes) + bodyBytes;
    if (to > from && sizeBytes + recordBytes > mostBytes) break;
    sizeBytes += recordBytes;
    if (timestampMs > maxTimestampMs) maxTimestampMs = timestampMs;
    to += 1;
  }
  return { from, to, sizeBytes, maxTimestampMs };
}

function checkedTimestamp(records: RecordSet, index: number): number {
  const timestampMs = records.timestamps[index] as number;
  if (!Number.isSafeInteger(timestampMs))
    throw new InvalidRecordError(`${timestampMs} is no timestamp`, {
      details: { index, timestampMs },
      remedy: 'Timestamps are whole milliseconds; −1 says that there is none.',
    });
  return timestampMs;
}

function writeBatch(records: RecordSet, plan: BatchPlan, baseSequence: number, options: EncodeBatchesOptions): Buffer {
  const { from, to } = plan;
  const { compression, maxBatchBytes } = options;
  if (plan.sizeBytes > maxBatchBytes && compression === undefined) throw new TooLarge(plan);

  const baseTimestampMs = records.timestamps[from] as number;
  const plain = Buffer.allocUnsafe(plan.sizeBytes);
  const writer = new RecordWriter(plain, HEADER_BYTES);
  for (let index = from; index < to; index += 1) {
    const delta = (records.timestamps[index] as number) - baseTimestampMs;
    writer.record(records, index, recordBodyBytes(records, index, delta, index - from), delta, index - from);
  }
  const compressed = compression?.compress?.(plain.subarray(HEADER_BYTES));
  // What compression makes larger is written as it is: readers go by each batch's own attributes.
  const isWorthIt = compressed !== undefined && HEADER_BYTES + compressed.length < plain.length;
  const batch = isWorthIt ? Buffer.concat([plain.subarray(0, HEADER_BYTES), compressed]) : plain;
  if (batch.length > maxBatchBytes) throw new TooLarge({ ...plan, sizeBytes: batch.length });

  writeSafeInt64(batch, 0, AT.baseOffset);
  batch.writeInt32BE(batch.length - LENGTH_OVERHEAD, AT.length);
  batch.writeInt32BE(UNKNOWN_LEADER_EPOCH, AT.leaderEpoch);
  batch[AT.magic] = MAGIC;
  const codecBits = isWorthIt && compression !== undefined ? compression.id : 0;
  batch.writeInt16BE(codecBits | (options.isTransactional ? TRANSACTIONAL : 0), AT.attributes);
  batch.writeInt32BE(to - from - 1, AT.lastOffsetDelta);
  writeSafeInt64(batch, baseTimestampMs, AT.baseTimestamp);
  writeSafeInt64(batch, plan.maxTimestampMs, AT.maxTimestamp);
  batch.writeBigInt64BE(options.producerId, AT.producerId);
  batch.writeInt16BE(options.producerEpoch, AT.producerEpoch);
  batch.writeInt32BE(baseSequence, AT.baseSequence);
  batch.writeInt32BE(to - from, AT.count);
  batch.writeUInt32BE(options.digest.crc32c(batch.subarray(AT.attributes)), AT.crc);
  return batch;
}

/** Of one batch; what the caller hears speaks of the whole set. */
class TooLarge extends Error {
  readonly plan: BatchPlan;

  constructor(plan: BatchPlan) {
    super('too large');
    this.plan = plan;
  }
}

function refusal(records: RecordSet, plan: BatchPlan, options: EncodeBatchesOptions): RecordTooLargeError {
  const { maxBatchBytes, place } = options;
  const key = records.key(plan.from);
  const { sizeBytes } = plan;
  const where = place === undefined ? '' : `${topicPartitionKey(place)}: `;
  const message = `${where}a record takes a batch of ${sizeBytes} bytes; its topic takes ${maxBatchBytes}`;
  return new RecordTooLargeError(message, {
    refused: tooLargeFrom(records, plan.from, options),
    details: {
      ...place,
      index: plan.from,
      key: key === null ? null : Buffer.from(key.subarray(0, MAX_KEY_BYTES_IN_ERROR)).toString(),
      keyBytes: key?.length ?? 0,
      valueBytes: records.value(plan.from)?.length ?? 0,
      sizeBytes,
      maxBytes: maxBatchBytes,
    },
  });
}
