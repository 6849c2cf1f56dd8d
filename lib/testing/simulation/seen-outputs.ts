/** The values of each key of an output topic, as a reader of committed records has seen them. */
import { parseTopicPartitionKey, type TopicPartitionKey } from '../../model/topic-partition.js';
import type { CommittedLog } from './committed-log.js';
import type { Reference } from './reference.js';
import { type ComparedParts, seenValue, VALUES_ALONE } from './seen-value.js';

/** By key as bytes, one character a byte, each in its partition: `2/water`; a record without key has none after the stroke. */
export type ValuesByKey = ReadonlyMap<string, readonly (string | null)[]>;

/** What was committed to a topic. */
export function committedValues(committed: CommittedLog, topic: string, parts = VALUES_ALONE): ValuesByKey {
  const values = new Map<string, (string | null)[]>();
  for (const partition of partitionsOf(committed.partitions, topic)) {
    const prefix = `${parseTopicPartitionKey(partition).partition}/`;
    for (const record of committed.records(partition))
      add(values, prefix + (record.key ?? ''), seenValue(record.value, record, parts));
  }
  return values;
}

/** What the reference has written to a topic. */
export function referenceValues(
  { records }: Reference,
  topic: string,
  parts: ComparedParts = VALUES_ALONE,
): ValuesByKey {
  const values = new Map<string, (string | null)[]>();
  for (const partition of partitionsOf([...records.keys()], topic)) {
    const prefix = `${parseTopicPartitionKey(partition).partition}/`;
    for (const record of (records.get(partition) ?? []).flatMap((set) => [...set]))
      add(values, prefix + (packed(record.key) ?? ''), seenValue(packed(record.value), record, parts));
  }
  return values;
}

function partitionsOf(keys: readonly TopicPartitionKey[], topic: string): readonly TopicPartitionKey[] {
  return keys.filter((key) => parseTopicPartitionKey(key).topic === topic).sort();
}

function add(values: Map<string, (string | null)[]>, key: string, value: string | null): void {
  const before = values.get(key);
  if (before === undefined) values.set(key, [value]);
  else before.push(value);
}

/** As bytes, one character a byte. */
export function packed(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
