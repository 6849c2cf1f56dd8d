import type { Digest } from '../../../host/host.js';
import type { RecordSet } from '../../../model/record-set.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import type { RecordCodec } from '../records/codecs.js';
import { type EncodedBatch, encodeBatches, sequenceAfter } from '../records/encode-batches.js';
import type { BatchLimit, TopicConfigs } from '../topics/topic-configs.js';

export interface BatchFormat {
  readonly configs: TopicConfigs;
  readonly digest: Pick<Digest, 'crc32c'>;
  readonly compression: RecordCodec | undefined;
}

/** One epoch of a producer id, and the sequence numbers that it has used in each partition. */
export class ProducerEpoch {
  readonly producerId: number;
  readonly epoch: number;
  readonly isTransactional: boolean;
  private readonly sequences = new Map<TopicPartitionKey, number>();

  constructor(producerId: number, epoch: number, isTransactional: boolean) {
    this.producerId = producerId;
    this.epoch = epoch;
    this.isTransactional = isTransactional;
  }

  /**
   * Records as batches with the next sequence numbers of the partition. Nothing is used up if it throws.
   *
   * @param limit what a batch of the topic may take
   * @throws {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE · {InvalidRecordError} STREAMS_INVALID_RECORD
   */
  batches(
    to: TopicPartition,
    records: RecordSet,
    limit: BatchLimit,
    { digest, compression }: BatchFormat,
  ): readonly EncodedBatch[] {
    const key = topicPartitionKey(to);
    const baseSequence = this.sequences.get(key) ?? 0;
    const batches = encodeBatches(records, {
      from: 0,
      to: records.size,
      producerId: BigInt(this.producerId),
      producerEpoch: this.epoch,
      baseSequence,
      isTransactional: this.isTransactional,
      compression,
      ...limit,
      digest,
      place: to,
    });
    this.sequences.set(key, sequenceAfter(baseSequence, records.size));
    return batches;
  }
}
