import type { IsolationLevel } from '../../log.js';
import type { Api, ApiRequest } from '../protocol/api.js';
import { byTopic } from '../protocol/by-topic.js';

const API: Api = { name: 'ListOffsets', key: 2, version: 5, flexible: false };

/** Times that stand for ends of the log. */
export const LATEST = -1;
export const EARLIEST = -2;

export interface ListOffsetsPartition {
  readonly topic: string;
  readonly partition: number;
  readonly timestampMs: number;
}

export interface ListedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  /** −1 if no record is at or after the time. */
  readonly offset: number;
}

/** Asks one leader for offsets. `LATEST` is the last stable offset when reading committed, else the high watermark. */
export function listOffsetsRequest(
  partitions: readonly ListOffsetsPartition[],
  isolation: IsolationLevel,
): ApiRequest<readonly ListedOffset[]> {
  return {
    api: API,
    encode(writer) {
      writer.int32(-1).int8(isolation === 'readCommitted' ? 1 : 0);
      writer.array(byTopic(partitions), (group) => {
        writer.string(group.topic).array(group.partitions, (at) => {
          writer.int32(at.partition).int32(-1).int64(at.timestampMs);
        });
      });
    },
    decode(reader) {
      reader.throttle();
      const topics = reader.array(() => {
        const topic = reader.string();
        return reader.array(() => {
          const at = { topic, partition: reader.int32(), errorCode: reader.int16() };
          reader.int64();
          const found = { ...at, offset: reader.int64() };
          reader.int32();
          return found;
        });
      });
      return topics.flat();
    },
  };
}
