/** The requests that a transaction is made of, besides its records and offsets. */
import type { TopicPartition } from '../../../model/topic-partition.js';
import type { Api, ApiRequest } from '../protocol/api.js';
import { byTopic } from '../protocol/by-topic.js';
import type { PartitionResult, ProducerIdentity } from './offset-commit.js';

const ADD_PARTITIONS: Api = { name: 'AddPartitionsToTxn', key: 24, version: 1, flexible: false };
const ADD_OFFSETS: Api = { name: 'AddOffsetsToTxn', key: 25, version: 1, flexible: false };
const END: Api = { name: 'EndTxn', key: 26, version: 1, flexible: false };

export function addPartitionsRequest(
  { transactionalId, producerId, epoch }: ProducerIdentity,
  added: readonly TopicPartition[],
): ApiRequest<readonly PartitionResult[]> {
  return {
    api: ADD_PARTITIONS,
    encode(writer) {
      writer.string(transactionalId).int64(producerId).int16(epoch);
      writer.array(byTopic(added), ({ topic, partitions }) => {
        writer.string(topic).array(partitions, ({ partition }) => writer.int32(partition));
      });
    },
    decode(reader) {
      reader.throttle();
      return reader
        .array(() => {
          const topic = reader.string();
          return reader.array(() => ({ topic, partition: reader.int32(), errorCode: reader.int16() }));
        })
        .flat();
    },
  };
}

/** Adds a group to the transaction. Answers an error code. */
export function addOffsetsRequest(
  { transactionalId, producerId, epoch }: ProducerIdentity,
  groupId: string,
): ApiRequest<number> {
  return {
    api: ADD_OFFSETS,
    encode: (writer) => {
      writer.string(transactionalId).int64(producerId).int16(epoch).string(groupId);
    },
    decode(reader) {
      reader.throttle();
      return reader.int16();
    },
  };
}

/** Commits or aborts. Answers an error code. */
export function endTxnRequest(
  { transactionalId, producerId, epoch }: ProducerIdentity,
  commit: boolean,
): ApiRequest<number> {
  return {
    api: END,
    encode: (writer) => {
      writer.string(transactionalId).int64(producerId).int16(epoch).boolean(commit);
    },
    decode(reader) {
      reader.throttle();
      return reader.int16();
    },
  };
}
