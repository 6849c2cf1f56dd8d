import type { Api, ApiRequest } from '../protocol/api.js';
import { byTopic } from '../protocol/by-topic.js';

/** Version 7 allows Zstandard, version 8 says which record was refused and why. */
const API: Api = { name: 'Produce', key: 0, version: 8, flexible: false };

const ALL_REPLICAS = -1;

export interface ProducePartition {
  readonly topic: string;
  readonly partition: number;
  /** One record batch. */
  readonly batch: Uint8Array;
}

export interface ProducedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly errorMessage: string | null;
  /** Offset of the batch's first record; −1 after an error. */
  readonly baseOffset: number;
}

/** Appends one batch to each of several partitions of one leader; answered when all in-sync replicas have them. */
export function produceRequest(
  transactionalId: string | null,
  timeoutMs: number,
  partitions: readonly ProducePartition[],
): ApiRequest<readonly ProducedPartition[]> {
  return {
    api: API,
    encode(writer) {
      writer.string(transactionalId).int16(ALL_REPLICAS).int32(timeoutMs);
      writer.array(byTopic(partitions), (group) => {
        writer.string(group.topic).array(group.partitions, ({ partition, batch }) => {
          writer.int32(partition).bytes(batch);
        });
      });
    },
    decode(reader) {
      const topics = reader.array(() => {
        const topic = reader.string();
        return reader.array(() => {
          const at = { topic, partition: reader.int32(), errorCode: reader.int16(), baseOffset: reader.int64() };
          reader.int64();
          reader.int64();
          const refused = reader.array(() => {
            reader.int32();
            return reader.nullableString();
          });
          const message = reader.nullableString();
          return { ...at, errorMessage: refused.find((reason) => reason !== null) ?? message };
        });
      });
      reader.throttle();
      return topics.flat();
    },
  };
}
