import type { IsolationLevel } from '../../log.js';
import type { Api, ApiRequest } from '../protocol/api.js';
import { byTopic } from '../protocol/by-topic.js';
import type { AbortedTransaction } from '../records/aborted-transactions.js';

const API: Api = { name: 'Fetch', key: 1, version: 11, flexible: false };

/** "A client, no replica", "no session", "no epoch known". */
const NONE = -1;

export interface FetchPartition {
  readonly topic: string;
  readonly partition: number;
  readonly fromOffset: number;
  readonly maxBytes: number;
}

export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  /** −1 where the broker does not know it, as after an error. */
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  /** Transactions that were aborted in the range of the records; in no order that could be relied on. */
  readonly aborted: readonly AbortedTransaction[];
  /** Record batches as they are in the log; the last one may be cut off. */
  readonly records: Buffer;
}

export interface FetchParameters {
  readonly partitions: readonly FetchPartition[];
  readonly isolation: IsolationLevel;
  readonly maxWaitMs: number;
  readonly maxBytes: number;
}

export interface FetchAnswer {
  readonly errorCode: number;
  readonly partitions: readonly FetchedPartition[];
}

/** Reads partitions of one leader, without a fetch session; waits at the broker until there is a first byte. */
export function fetchRequest({ partitions, isolation, maxWaitMs, maxBytes }: FetchParameters): ApiRequest<FetchAnswer> {
  return {
    api: API,
    brokerWaitMs: maxWaitMs,
    encode(writer) {
      writer.int32(NONE).int32(maxWaitMs).int32(1).int32(maxBytes);
      writer.int8(isolation === 'readCommitted' ? 1 : 0);
      writer.int32(0).int32(NONE);
      writer.array(byTopic(partitions), (group) => {
        writer.string(group.topic).array(group.partitions, (at) => {
          writer.int32(at.partition).int32(NONE).int64(at.fromOffset).int64(NONE).int32(at.maxBytes);
        });
      });
      writer.int32(0).string('');
    },
    decode(reader) {
      reader.throttle();
      const errorCode = reader.int16();
      reader.int32();
      const topics = reader.array(() => {
        const topic = reader.string();
        return reader.array(() => {
          const partition = reader.int32();
          const head = {
            errorCode: reader.int16(),
            highWatermark: reader.int64(),
            lastStableOffset: reader.int64(),
            logStartOffset: reader.int64(),
          };
          const aborted = reader.array(() => ({ producerId: reader.bigInt64(), firstOffset: reader.int64() }));
          reader.int32();
          return { topic, partition, ...head, aborted, records: reader.bytes() };
        });
      });
      return { errorCode, partitions: topics.flat() };
    },
  };
}
