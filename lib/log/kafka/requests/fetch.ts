import type { IsolationLevel } from '../../log.js';
import type { Api, ApiRequest } from '../protocol/api.js';
import { byTopic, type TopicGroup } from '../protocol/by-topic.js';
import type { ProtocolReader } from '../protocol/protocol-reader.js';
import type { ProtocolWriter } from '../protocol/protocol-writer.js';
import type { AbortedTransaction } from '../records/aborted-transactions.js';
import { NO_TOPIC_ID } from './metadata.js';

/** Version 13 is the first that names topics by their ids alone (KIP-516): Kafka 3.1. */
const BY_ID: Api = { name: 'Fetch', key: 1, version: 13, flexible: true };
const BY_NAME: Api = { name: 'Fetch', key: 1, version: 11, flexible: false };

/** "A client, no replica", "no session", "no epoch known". */
const NONE = -1;

export interface FetchPartition {
  readonly topic: string;
  readonly topicId: string;
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

/**
 * Reads partitions of one leader, without a fetch session; waits at the broker until there is a first byte. By the topics' ids,
 * unless one of them has none or the broker is too old for it.
 */
export function fetchRequest(parameters: FetchParameters): ApiRequest<FetchAnswer> {
  const byName = requestByName(parameters);
  const haveIds = parameters.partitions.every(({ topicId }) => topicId !== NO_TOPIC_ID);
  return haveIds ? { ...requestById(parameters), older: byName } : byName;
}

function requestById(parameters: FetchParameters): ApiRequest<FetchAnswer> {
  const names = new Map(parameters.partitions.map(({ topic, topicId }) => [topicId, topic]));
  return {
    api: BY_ID,
    brokerWaitMs: parameters.maxWaitMs,
    encode(writer) {
      writeHead(writer, parameters);
      writer.compactArray(byTopic(parameters.partitions), (group) => {
        writer.uuid(idOf(group)).compactArray(group.partitions, (at) => {
          writer
            .int32(at.partition)
            .int32(NONE)
            .int64(at.fromOffset)
            .int32(NONE)
            .int64(NONE)
            .int32(at.maxBytes)
            .noTags();
        });
        writer.noTags();
      });
      writer.compactArray([], () => undefined);
      writer.compactString('').noTags();
    },
    decode(reader) {
      const errorCode = readHead(reader);
      const topics = reader.compactArray(() => {
        // An id that was not asked for names nobody's topic: whoever looks for it finds none of that name.
        const topic = names.get(reader.uuid()) ?? '';
        const partitions = reader.compactArray(() => {
          const at = readPartition(reader, topic);
          const aborted = reader.compactArray(() => {
            const transaction = { producerId: reader.bigInt64(), firstOffset: reader.int64() };
            reader.skipTags();
            return transaction;
          });
          reader.int32();
          const records = reader.compactBytes();
          reader.skipTags();
          return { ...at, aborted, records };
        });
        reader.skipTags();
        return partitions;
      });
      reader.skipTags();
      return { errorCode, partitions: topics.flat() };
    },
  };
}

function requestByName(parameters: FetchParameters): ApiRequest<FetchAnswer> {
  return {
    api: BY_NAME,
    brokerWaitMs: parameters.maxWaitMs,
    encode(writer) {
      writeHead(writer, parameters);
      writer.array(byTopic(parameters.partitions), (group) => {
        writer.string(group.topic).array(group.partitions, (at) => {
          writer.int32(at.partition).int32(NONE).int64(at.fromOffset).int64(NONE).int32(at.maxBytes);
        });
      });
      writer.int32(0).string('');
    },
    decode(reader) {
      const errorCode = readHead(reader);
      const topics = reader.array(() => {
        const topic = reader.string();
        return reader.array(() => {
          const at = readPartition(reader, topic);
          const aborted = reader.array(() => ({ producerId: reader.bigInt64(), firstOffset: reader.int64() }));
          reader.int32();
          return { ...at, aborted, records: reader.bytes() };
        });
      });
      return { errorCode, partitions: topics.flat() };
    },
  };
}

function writeHead(writer: ProtocolWriter, { isolation, maxWaitMs, maxBytes }: FetchParameters): void {
  writer.int32(NONE).int32(maxWaitMs).int32(1).int32(maxBytes);
  writer.int8(isolation === 'readCommitted' ? 1 : 0);
  writer.int32(0).int32(NONE);
}

/** @returns the error code of the whole answer */
function readHead(reader: ProtocolReader): number {
  reader.throttle();
  const errorCode = reader.int16();
  reader.int32();
  return errorCode;
}

function readPartition(reader: ProtocolReader, topic: string): Omit<FetchedPartition, 'aborted' | 'records'> {
  return {
    topic,
    partition: reader.int32(),
    errorCode: reader.int16(),
    highWatermark: reader.int64(),
    lastStableOffset: reader.int64(),
    logStartOffset: reader.int64(),
  };
}

function idOf({ partitions }: TopicGroup<FetchPartition>): string {
  return partitions[0]?.topicId ?? NO_TOPIC_ID;
}
