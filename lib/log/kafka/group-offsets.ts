import { RecordTooLargeError } from '../../model/errors.js';
import { type Offset, offset } from '../../model/offset.js';
import {
  parseTopicPartitionKey,
  type TopicPartition,
  type TopicPartitionKey,
  topicPartitionKey,
} from '../../model/topic-partition.js';
import type { CommittedOffset, OffsetsToCommit } from '../log.js';
import type { Cluster } from './cluster/cluster.js';
import { failOn } from './failures.js';
import { type OffsetToCommit, offsetCommitRequest, type PartitionResult } from './requests/offset-commit.js';
import { offsetFetchRequest } from './requests/offset-fetch.js';
import type { Retrier } from './retrier.js';

/** Brokers count characters, the port promises bytes: checked here. Kafka: `offset.metadata.max.bytes`. */
export const MAX_METADATA_BYTES = 4_096;

/** Committed offsets of consumer groups, without ever joining one. */
export class GroupOffsets {
  private readonly cluster: Cluster;
  private readonly retrier: Retrier;

  constructor(cluster: Cluster, retrier: Retrier) {
    this.cluster = cluster;
    this.retrier = retrier;
  }

  /** See `OffsetStore.committedOffsets`: an open transaction that commits some of them is waited for (L6). */
  async committed(
    groupId: string,
    of: readonly TopicPartition[],
  ): Promise<ReadonlyMap<TopicPartitionKey, CommittedOffset>> {
    if (of.length === 0) return new Map();
    const what = `committed offsets of ${groupId}`;
    return this.retrier.run({
      what,
      details: { groupId },
      attempt: async () => {
        const coordinator = await this.cluster.coordinator('group', groupId);
        const { errorCode, partitions } = await this.cluster.send(coordinator, offsetFetchRequest(groupId, of));
        failOn(what, errorCode, { groupId });
        const found = new Map<TopicPartitionKey, CommittedOffset>();
        for (const { topic, partition, errorCode: code, committed, metadata } of partitions) {
          failOn(what, code, { groupId, topic, partition });
          if (committed >= 0) found.set(topicPartitionKey({ topic, partition }), asCommitted(committed, metadata));
        }
        return found;
      },
      forget: (failure) => this.cluster.forget(failure, [], ['group', groupId]),
    });
  }

  /** See `OffsetStore.commitOffsets`. */
  async commit(groupId: string, offsets: OffsetsToCommit): Promise<void> {
    const toCommit = checkedOffsets(offsets);
    if (toCommit.length === 0) return;
    await this.retrier.run({
      what: `commit offsets of ${groupId}`,
      details: { groupId },
      attempt: async () => {
        const coordinator = await this.cluster.coordinator('group', groupId);
        failOnPartition('commit offsets', await this.cluster.send(coordinator, offsetCommitRequest(groupId, toCommit)));
      },
      forget: (failure) => this.cluster.forget(failure, [], ['group', groupId]),
    });
  }
}

/** Offsets as requests want them. @throws {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE for metadata over 4,096 bytes */
export function checkedOffsets(offsets: OffsetsToCommit): readonly OffsetToCommit[] {
  return [...offsets].map(([key, { nextOffset, metadata }]) => {
    const at = parseTopicPartitionKey(key);
    const sizeBytes = Buffer.byteLength(metadata);
    if (sizeBytes > MAX_METADATA_BYTES)
      throw new RecordTooLargeError(`the metadata of the offset of ${key} takes ${sizeBytes} bytes`, {
        details: { ...at, sizeBytes, maxBytes: MAX_METADATA_BYTES },
      });
    return { ...at, nextOffset, metadata };
  });
}

/** @throws {BrokerError} of the first partition with an error */
export function failOnPartition(what: string, results: readonly PartitionResult[]): void {
  for (const { topic, partition, errorCode } of results)
    failOn(`${what} ${topic}-${partition}`, errorCode, { topic, partition });
}

function asCommitted(nextOffset: number, metadata: string): CommittedOffset {
  const next: Offset = offset(nextOffset);
  return { nextOffset: next, metadata };
}
