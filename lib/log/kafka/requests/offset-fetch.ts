import type { TopicPartition } from '../../../model/topic-partition.js';
import type { Api, ApiRequest } from '../protocol/api.js';
import { byTopic } from '../protocol/by-topic.js';

/** Version 7 is the first with `require_stable` (KIP-447). */
const API: Api = { name: 'OffsetFetch', key: 9, version: 7, flexible: true };

export interface FetchedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  /** −1 if there is none. */
  readonly committed: number;
  readonly metadata: string;
}

export interface OffsetFetchAnswer {
  readonly errorCode: number;
  readonly partitions: readonly FetchedOffset[];
}

/** Stable committed offsets: partitions that an open transaction commits answer UNSTABLE_OFFSET_COMMIT. */
export function offsetFetchRequest(groupId: string, of: readonly TopicPartition[]): ApiRequest<OffsetFetchAnswer> {
  return {
    api: API,
    encode(writer) {
      writer.compactString(groupId);
      writer.compactArray(byTopic(of), ({ topic, partitions }) => {
        writer.compactString(topic).compactArray(partitions, ({ partition }) => writer.int32(partition));
        writer.noTags();
      });
      writer.boolean(true).noTags();
    },
    decode(reader) {
      reader.throttle();
      const topics = reader.compactArray(() => {
        const topic = reader.compactString();
        const partitions = reader.compactArray(() => {
          const at = { topic, partition: reader.int32(), committed: reader.int64() };
          reader.int32();
          const metadata = reader.compactNullableString() ?? '';
          const errorCode = reader.int16();
          reader.skipTags();
          return { ...at, metadata, errorCode };
        });
        reader.skipTags();
        return partitions;
      });
      return { errorCode: reader.int16(), partitions: topics.flat() };
    },
  };
}
