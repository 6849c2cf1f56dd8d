import type { Log } from '../log/log.js';
import { UnavailableError, UnknownTopicError } from '../model/errors.js';
import { type Offset, offset } from '../model/offset.js';
import type { Headers, LogRecord } from '../model/record-set.js';
import { type TopicPartition, topicPartitionKey } from '../model/topic-partition.js';
import type { Serde } from '../serde/serde.js';
import type { InputSerdes } from './append-records.js';

const FETCH_BYTES = 1024 * 1024;
/** How long one fetch waits for a broker that is slow to answer with what it has. */
const MAX_WAIT_MS = 500;
/** Fetches in a row that bring nothing before a read is given up. */
const MAX_IDLE_FETCHES = 60;

/** A record as it was read. */
export interface OutputRecord<K, V> {
  readonly key: K | null;
  readonly value: V | null;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly headers: Headers;
  readonly partition: number;
  readonly offset: Offset;
}

/** Everything committed in a topic now, partition after partition. @throws see `LocalStreams.read` */
export async function readRecords<K, V>(
  log: Log,
  topic: string,
  serdes: InputSerdes<K, V>,
): Promise<readonly OutputRecord<K, V>[]> {
  const partitions = (await log.describeTopics([topic])).get(topic)?.partitions;
  if (partitions === undefined) throw new UnknownTopicError(`topic ${topic} does not exist`, { details: { topic } });
  const read: OutputRecord<K, V>[] = [];
  for (let partition = 0; partition < partitions; partition += 1) {
    for await (const record of committedRecords(log, { topic, partition })) {
      read.push({
        key: deserialized(record.key, serdes.key),
        value: deserialized(record.value, serdes.value),
        timestampMs: record.timestampMs,
        headers: record.headers,
        partition,
        offset: record.offset,
      });
    }
  }
  return read;
}

/**
 * From the first record that there is up to the high watermark (exclusive) at the time of the call. The last stable offset is not
 * enough: a broker answers a commit before it has marked it in every partition.
 */
async function* committedRecords(log: Log, at: TopicPartition): AsyncGenerator<LogRecord> {
  const key = topicPartitionKey(at);
  const end = (await log.listOffsets([at], 'highWatermark')).get(key) ?? offset(0);
  let next = (await log.listOffsets([at], 'earliest')).get(key) ?? offset(0);
  for (let idle = 0; next < end; ) {
    const [result] = await log.fetch([{ ...at, fromOffset: next }], {
      isolation: 'readCommitted',
      maxWaitMs: MAX_WAIT_MS,
      maxBytes: FETCH_BYTES,
    });
    const isIdle = result === undefined || result.nextOffset === next;
    idle = isIdle ? idle + 1 : 0;
    if (idle === MAX_IDLE_FETCHES) throw new UnavailableError(`${key} gives nothing at ${next}, below its end ${end}`);
    if (isIdle) continue;
    for (const record of result.records) if (record.offset < end) yield record;
    next = result.nextOffset;
  }
}

function deserialized<T>(bytes: Uint8Array | null, serde: Serde<T>): T | null {
  return bytes === null ? null : serde.deserialize(bytes);
}
