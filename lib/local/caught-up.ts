import type { Log } from '../log/log.js';
import type { Offset } from '../model/offset.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import { type StreamsApp, topicName } from '../topology/app.js';
import { matchAllTopics } from '../topology/topic-patterns.js';

type Offsets = ReadonlyMap<TopicPartitionKey, Offset>;

/**
 * Whether every source partition, repartition topics included, is committed up to its end.
 *
 * The ends are read before and after the commits: what one sub-topology sends downstream in between moves an end.
 */
export async function isCaughtUp(app: StreamsApp, log: Log): Promise<boolean> {
  const inputs = await sourcePartitions(app, log);
  const before = await log.listOffsets(inputs, 'highWatermark');
  const starts = await log.listOffsets(inputs, 'earliest');
  const committed = await log.committedOffsets(app.applicationId, inputs);
  const after = await log.listOffsets(inputs, 'highWatermark');
  const isDone = (key: TopicPartitionKey) => (committed.get(key)?.nextOffset ?? at(starts, key)) >= at(before, key);
  return inputs.map(topicPartitionKey).every((key) => at(before, key) === at(after, key) && isDone(key));
}

function at(offsets: Offsets, key: TopicPartitionKey): number {
  return offsets.get(key) ?? 0;
}

async function sourcePartitions(written: StreamsApp, log: Log): Promise<readonly TopicPartition[]> {
  const app = await matchAllTopics(written, log);
  const names = app.topology.subTopologies.flatMap(({ sourceTopics }) =>
    sourceTopics.map((topic) => topicName(app, topic)),
  );
  const described = await log.describeTopics(names);
  return [...described.values()].flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
  );
}
