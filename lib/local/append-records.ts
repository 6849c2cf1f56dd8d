import type { Log } from '../log/log.js';
import { UnknownTopicError } from '../model/errors.js';
import type { Headers } from '../model/record-set.js';
import { RecordSetBuilder } from '../model/record-set-builder.js';
import { Cell } from '../serde/cell.js';
import { lookUpTopic } from '../serde/lookups.js';
import type { Serde } from '../serde/serde.js';
import { defaultPartition } from '../topology/default-partitioner.js';

/** A record to append. */
export interface InputRecord<K, V> {
  readonly key: K | null;
  readonly value: V | null;
  /** Milliseconds since the epoch; default: now. */
  readonly timestampMs?: number;
  readonly headers?: Headers;
}

export interface InputSerdes<K, V> {
  readonly key: Serde<K>;
  readonly value: Serde<V>;
}

export interface AppendInput<K, V> {
  readonly log: Log;
  readonly nowMs: number;
  readonly topic: string;
  readonly serdes: InputSerdes<K, V>;
  readonly records: Iterable<InputRecord<K, V>>;
}

/** Appends records, in order within each partition. @throws see `LocalStreams.append` */
export async function appendRecords<K, V>({ log, nowMs, topic, serdes, records }: AppendInput<K, V>): Promise<void> {
  const partitions = (await log.describeTopics([topic])).get(topic)?.partitions;
  if (partitions === undefined) throw new UnknownTopicError(`topic ${topic} does not exist`, { details: { topic } });
  await lookUpTopic(topic, serdes);
  const builders = Array.from({ length: partitions }, () => new RecordSetBuilder());
  for (const { key, value, timestampMs = nowMs, headers } of records) {
    const keyBytes = Cell.of(key).bytes(serdes.key);
    const valueBytes = Cell.of(value).bytes(serdes.value);
    builders[defaultPartition(keyBytes, valueBytes, partitions)]?.append(keyBytes, valueBytes, timestampMs, headers);
  }
  for (const [partition, builder] of builders.entries()) {
    if (builder.size > 0) await log.append({ topic, partition }, builder.build());
  }
}
