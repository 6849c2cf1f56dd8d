/** Requests that create, describe, trim and delete topics. */
import type { TopicPartition } from '../../../model/topic-partition.js';
import type { TopicSpec } from '../../log.js';
import type { Api, ApiRequest } from '../protocol/api.js';
import { byTopic } from '../protocol/by-topic.js';

/** Version 4 lets the broker choose the replication factor. */
const CREATE: Api = { name: 'CreateTopics', key: 19, version: 4, flexible: false };
const DELETE: Api = { name: 'DeleteTopics', key: 20, version: 3, flexible: false };
const DELETE_RECORDS: Api = { name: 'DeleteRecords', key: 21, version: 1, flexible: false };
const DESCRIBE: Api = { name: 'DescribeConfigs', key: 32, version: 2, flexible: false };

const BROKERS_DEFAULT = -1;
const TOPIC_RESOURCE = 2;

export interface TopicResult {
  readonly topic: string;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

export function createTopicRequest(spec: TopicSpec, timeoutMs: number): ApiRequest<readonly TopicResult[]> {
  const { name, partitions, replicationFactor = BROKERS_DEFAULT, config } = spec;
  return {
    api: CREATE,
    brokerWaitMs: timeoutMs,
    encode(writer) {
      writer.array([spec], () => {
        writer.string(name).int32(partitions).int16(replicationFactor);
        writer.array([], () => undefined);
        writer.array(Object.entries(config), ([key, value]) => writer.string(key).string(value));
      });
      writer.int32(timeoutMs).boolean(false);
    },
    decode(reader) {
      reader.throttle();
      return reader.array(() => ({
        topic: reader.string(),
        errorCode: reader.int16(),
        errorMessage: reader.nullableString(),
      }));
    },
  };
}

export function deleteTopicRequest(name: string, timeoutMs: number): ApiRequest<readonly TopicResult[]> {
  return {
    api: DELETE,
    brokerWaitMs: timeoutMs,
    encode: (writer) => {
      writer.array([name], (topic) => writer.string(topic)).int32(timeoutMs);
    },
    decode(reader) {
      reader.throttle();
      return reader.array(() => ({ topic: reader.string(), errorCode: reader.int16(), errorMessage: null }));
    },
  };
}

export interface RecordsToDelete extends TopicPartition {
  readonly beforeOffset: number;
}

export interface DeletedRecords extends TopicPartition {
  readonly errorCode: number;
}

/** Deletes records of partitions of one leader. */
export function deleteRecordsRequest(
  records: readonly RecordsToDelete[],
  timeoutMs: number,
): ApiRequest<readonly DeletedRecords[]> {
  return {
    api: DELETE_RECORDS,
    brokerWaitMs: timeoutMs,
    encode(writer) {
      writer.array(byTopic(records), ({ topic, partitions }) => {
        writer.string(topic).array(partitions, ({ partition, beforeOffset }) => {
          writer.int32(partition).int64(beforeOffset);
        });
      });
      writer.int32(timeoutMs);
    },
    decode(reader) {
      reader.throttle();
      return reader
        .array(() => {
          const topic = reader.string();
          return reader.array(() => {
            const partition = reader.int32();
            reader.int64();
            return { topic, partition, errorCode: reader.int16() };
          });
        })
        .flat();
    },
  };
}

export interface DescribedConfig {
  readonly topic: string;
  readonly errorCode: number;
  readonly errorMessage: string | null;
  /** All settings in force, the broker's defaults among them. */
  readonly config: Readonly<Record<string, string>>;
}

/** Settings of topics. */
export function describeConfigsRequest(topics: readonly string[]): ApiRequest<readonly DescribedConfig[]> {
  return {
    api: DESCRIBE,
    encode(writer) {
      // A null list of names asks for all settings.
      writer.array(topics, (name) => writer.int8(TOPIC_RESOURCE).string(name).int32(-1));
      writer.boolean(false);
    },
    decode(reader) {
      reader.throttle();
      return reader.array(() => {
        const result = { errorCode: reader.int16(), errorMessage: reader.nullableString() };
        reader.int8();
        const topic = reader.string();
        const entries = reader.array(() => {
          const entry = [reader.string(), reader.nullableString()] as const;
          reader.boolean();
          reader.int8();
          reader.boolean();
          reader.array(() => {
            reader.string();
            reader.nullableString();
            reader.int8();
          });
          return entry;
        });
        return { ...result, topic, config: Object.fromEntries(entries.map(([key, value]) => [key, value ?? ''])) };
      });
    },
  };
}
