import type { TopicPartition } from '../../model/topic-partition.js';
import { topicPartitionKey } from '../../model/topic-partition.js';
import type { Cloud } from './cloud.js';
import type { SubjectMap } from './subject-map.js';
import type { Witness } from './witness.js';

/**
 * Whether every input that is not excused by a harm is committed up to its end.
 *
 * The ends are read before and after the commits: what one sub-topology sends downstream in between moves an end. Offsets that
 * have expired stand where they were committed: a task that sleeps has them in its lease.
 */
export async function isSettled(cloud: Cloud, { map, transactions }: Witness): Promise<boolean> {
  const { log, app } = cloud;
  const inputs = await soundInputs(cloud, map);
  const before = await log.listOffsets(inputs, 'highWatermark');
  const committed = await log.committedOffsets(app.applicationId, inputs);
  const after = await log.listOffsets(inputs, 'highWatermark');
  return inputs.every((input) => {
    const key = topicPartitionKey(input);
    const end = before.get(key) ?? 0;
    const stands = committed.get(key) ?? transactions.committedOffsets.get(key);
    return after.get(key) === end && (stands?.nextOffset ?? 0) >= end;
  });
}

/** Inputs, of topics that exist by now, of the sub-topologies that no harm excuses. */
export async function soundInputs({ log, harms }: Cloud, map: SubjectMap): Promise<readonly TopicPartition[]> {
  const excused = harms.excused();
  const inputs = map.tasks.filter(({ subTopology }) => !excused.has(subTopology)).flatMap((task) => task.inputs);
  const known = await log.describeTopics([...new Set(inputs.map(({ topic }) => topic))]);
  return inputs.filter(({ topic }) => known.has(topic));
}
