import { type Offset, offset } from '../../../model/offset.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import { internalTopicName, topicName } from '../../../topology/app.js';
import type { Cloud } from '../cloud.js';

export interface SeenInput {
  readonly at: TopicPartition;
  readonly key: TopicPartitionKey;
  readonly isSource: boolean;
  readonly start: Offset;
  readonly stable: Offset;
  readonly committed: Offset | null;
}

/** All inputs of the application that do not serve as changelogs, as they stand now, in a fixed order. */
export async function inputs({ app, log }: Cloud): Promise<readonly SeenInput[]> {
  const { topology, applicationId } = app;
  const changelogs = new Set([...topology.changelogs.values()].map(({ topic }) => topic));
  const names = topology.subTopologies
    .flatMap(({ sourceTopics }) => sourceTopics)
    .filter((name) => !changelogs.has(name));
  const internal = new Set([...topology.repartitionTopics.keys()].map((name) => internalTopicName(app, name)));
  const described = [...(await log.describeTopics(names.map((name) => topicName(app, name)))).values()];
  const all = described.flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
  );
  const [starts, stables, committed] = await Promise.all([
    log.listOffsets(all, 'earliest'),
    log.listOffsets(all, 'lastStable'),
    log.committedOffsets(applicationId, all),
  ]);
  return all.map((at) => {
    const key = topicPartitionKey(at);
    return {
      at,
      key,
      isSource: !internal.has(at.topic),
      start: starts.get(key) ?? offset(0),
      stable: stables.get(key) ?? offset(0),
      committed: committed.get(key)?.nextOffset ?? null,
    };
  });
}
