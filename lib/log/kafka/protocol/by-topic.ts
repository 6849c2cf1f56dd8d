import type { TopicPartition } from '../../../model/topic-partition.js';

/** Partitions of one topic, as most requests want them. */
export interface TopicGroup<T> {
  readonly topic: string;
  readonly partitions: readonly T[];
}

/** Groups by topic; topics and partitions keep the order of their first appearance. */
export function byTopic<T extends TopicPartition>(items: readonly T[]): readonly TopicGroup<T>[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.topic);
    if (group === undefined) groups.set(item.topic, [item]);
    else group.push(item);
  }
  return [...groups].map(([topic, partitions]) => ({ topic, partitions }));
}
