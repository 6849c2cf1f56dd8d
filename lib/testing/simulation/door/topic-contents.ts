/** All committed records of the topics of one run, by topic and partition, in order of offsets. */
import { type ByteKey, bytesOfKey } from '../../../model/byte-key.js';
import { parseTopicPartitionKey, type TopicPartitionKey } from '../../../model/topic-partition.js';
import type { Reference } from '../reference.js';
import type { ScenarioInput } from '../scenario.js';
import type { Witness } from '../witness.js';

export interface KeptRecord {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly offset: number;
  readonly timestampMs: number;
}

export type TopicContents = ReadonlyMap<string, readonly (readonly KeptRecord[])[]>;

/** What a run with faults has left, its input included; repartition topics are trimmed, and left out. */
export function contentsOfRun({ map, committed }: Witness, inputs: readonly ScenarioInput[]): TopicContents {
  const contents = emptyContents(map.partitionCounts, inputs);
  for (const key of committed.partitions) {
    const bytes = (text: string | null) => (text === null ? null : bytesOfKey(text as ByteKey));
    for (const { key: recordKey, value, offset, timestampMs } of committed.records(key))
      listOf(contents, key)?.push({ key: bytes(recordKey), value: bytes(value), offset, timestampMs });
  }
  return contents;
}

/** What the reference has made of the same input. */
export function contentsOfReference(
  { records }: Reference,
  { map, inputs }: { readonly map: Witness['map']; readonly inputs: readonly ScenarioInput[] },
): TopicContents {
  const contents = emptyContents(map.partitionCounts, inputs);
  for (const [key, sets] of records) {
    const list = listOf(contents, key);
    for (const { key: recordKey, value, timestampMs } of sets.flatMap((set) => [...set]))
      list?.push({ key: recordKey, value, timestampMs, offset: list.length });
  }
  return contents;
}

function emptyContents(
  counts: ReadonlyMap<string, number>,
  inputs: readonly ScenarioInput[],
): Map<string, KeptRecord[][]> {
  const contents = new Map(
    [...counts].map(([topic, count]) => [topic, Array.from({ length: count }, () => [] as KeptRecord[])]),
  );
  for (const { topic, partition, key, value, timestampMs } of inputs) {
    const list = contents.get(topic)?.[partition];
    list?.push({ key, value, timestampMs, offset: list.length });
  }
  return contents;
}

function listOf(contents: ReadonlyMap<string, KeptRecord[][]>, key: TopicPartitionKey): KeptRecord[] | undefined {
  const { topic, partition } = parseTopicPartitionKey(key);
  return contents.get(topic)?.[partition];
}
