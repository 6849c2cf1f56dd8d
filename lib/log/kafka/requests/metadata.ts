import type { Api, ApiRequest } from '../protocol/api.js';

/** Version 10 is the first with topic ids (KIP-516). */
const API: Api = { name: 'Metadata', key: 3, version: 10, flexible: true };

/** What brokers answer for a topic that was created before topics had ids, until their upgrade is finished: 16 zero bytes. */
export const NO_TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAA';

export interface NodeAddress {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
  /** Kafka: `broker.rack`. Absent: it names none. */
  readonly rack?: string;
}

export interface PartitionMetadata {
  readonly partition: number;
  readonly errorCode: number;
  /** −1 if there is none. */
  readonly leaderId: number;
  readonly replicas: readonly number[];
}

export interface TopicMetadata {
  readonly name: string;
  readonly topicId: string;
  readonly errorCode: number;
  readonly partitions: readonly PartitionMetadata[];
}

export interface ClusterMetadata {
  readonly nodes: readonly NodeAddress[];
  readonly controllerId: number;
  readonly topics: readonly TopicMetadata[];
}

/** Where topics are; null asks for all of them, an empty list for the nodes alone. Never creates a topic. */
export function metadataRequest(topics: readonly string[] | null): ApiRequest<ClusterMetadata> {
  return {
    api: API,
    encode(writer) {
      writer.compactArray(topics, (name) => writer.zeroUuid().compactString(name).noTags());
      writer.boolean(false).boolean(false).boolean(false).noTags();
    },
    decode(reader) {
      reader.throttle();
      const nodes = reader.compactArray(() => {
        const node = { nodeId: reader.int32(), host: reader.compactString(), port: reader.int32() };
        const rack = reader.compactNullableString();
        reader.skipTags();
        return rack === null ? node : { ...node, rack };
      });
      reader.compactNullableString();
      const controllerId = reader.int32();
      const found = reader.compactArray(() => {
        const errorCode = reader.int16();
        const name = reader.compactString();
        const topicId = reader.uuid();
        reader.boolean();
        const partitions = reader.compactArray(() => {
          const at = { errorCode: reader.int16(), partition: reader.int32(), leaderId: reader.int32() };
          reader.int32();
          const replicas = reader.compactArray(() => reader.int32());
          reader.compactArray(() => reader.int32());
          reader.compactArray(() => reader.int32());
          reader.skipTags();
          return { ...at, replicas };
        });
        reader.int32();
        reader.skipTags();
        return { name, topicId, errorCode, partitions };
      });
      return { nodes, controllerId, topics: found };
    },
  };
}
