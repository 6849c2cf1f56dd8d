/** One partition of one topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

declare const keyBrand: unique symbol;
/** `topic-partition`, Kafka's way to print one; usable as a key of a `Map`. */
export type TopicPartitionKey = string & { readonly [keyBrand]: true };

/** The key of a partition; two partitions have one key only if they are the same (the last `-` divides). */
export function topicPartitionKey(at: TopicPartition): TopicPartitionKey {
  return `${at.topic}-${at.partition}` as TopicPartitionKey;
}

/** Reads a partition's key back. */
export function parseTopicPartitionKey(key: TopicPartitionKey): TopicPartition {
  const dash = key.lastIndexOf('-');
  return { topic: key.slice(0, dash), partition: Number(key.slice(dash + 1)) };
}
