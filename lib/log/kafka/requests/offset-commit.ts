import type { TopicPartition } from '../../../model/topic-partition.js';
import type { Api, ApiRequest } from '../protocol/api.js';
import { byTopic } from '../protocol/by-topic.js';
import type { ProtocolReader } from '../protocol/protocol-reader.js';
import type { ProtocolWriter } from '../protocol/protocol-writer.js';

const PLAIN: Api = { name: 'OffsetCommit', key: 8, version: 7, flexible: false };
const TRANSACTIONAL: Api = { name: 'TxnOffsetCommit', key: 28, version: 2, flexible: false };

/** Who commits without having joined the group. */
const NO_GENERATION = -1;
const NO_MEMBER = '';
const NO_LEADER_EPOCH = -1;

export interface OffsetToCommit extends TopicPartition {
  readonly nextOffset: number;
  readonly metadata: string;
}

export interface PartitionResult extends TopicPartition {
  readonly errorCode: number;
}

export interface ProducerIdentity {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly epoch: number;
}

/** Commits offsets as a group without members. */
export function offsetCommitRequest(
  groupId: string,
  offsets: readonly OffsetToCommit[],
): ApiRequest<readonly PartitionResult[]> {
  return {
    api: PLAIN,
    encode(writer) {
      writer.string(groupId).int32(NO_GENERATION).string(NO_MEMBER).string(null);
      writeOffsets(writer, offsets);
    },
    decode: readResults,
  };
}

/** Adds offsets of a group to a transaction that the group was added to. */
export function txnOffsetCommitRequest(
  { transactionalId, producerId, epoch }: ProducerIdentity,
  groupId: string,
  offsets: readonly OffsetToCommit[],
): ApiRequest<readonly PartitionResult[]> {
  return {
    api: TRANSACTIONAL,
    encode(writer) {
      writer.string(transactionalId).string(groupId).int64(producerId).int16(epoch);
      writeOffsets(writer, offsets);
    },
    decode: readResults,
  };
}

function writeOffsets(writer: ProtocolWriter, offsets: readonly OffsetToCommit[]): void {
  writer.array(byTopic(offsets), ({ topic, partitions }) => {
    writer.string(topic).array(partitions, ({ partition, nextOffset, metadata }) => {
      writer.int32(partition).int64(nextOffset).int32(NO_LEADER_EPOCH).string(metadata);
    });
  });
}

function readResults(reader: ProtocolReader): readonly PartitionResult[] {
  reader.throttle();
  return reader
    .array(() => {
      const topic = reader.string();
      return reader.array(() => ({ topic, partition: reader.int32(), errorCode: reader.int16() }));
    })
    .flat();
}
