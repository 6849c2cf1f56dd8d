import type { Log, TopicSpec } from '../log/log.js';
import { PartitionCountChangedError } from '../model/errors.js';

/** A topic to create; without `config` it has the log's default settings. */
export type LocalTopic = Omit<TopicSpec, 'config'> & Partial<Pick<TopicSpec, 'config'>>;

/**
 * Creates topics that are not there, after those that are have been held against what is wanted.
 *
 * @throws {PartitionCountChangedError} STREAMS_PARTITION_COUNT_CHANGED before any is created · {InvalidSettingError}
 *   STREAMS_INVALID_SETTING for a name, count or setting that Kafka would refuse
 */
export async function prepareTopics(log: Log, wanted: readonly LocalTopic[]): Promise<void> {
  const found = await log.describeTopics(wanted.map(({ name }) => name));
  const counts = new Map([...found.values()].map(({ name, partitions }) => [name, partitions]));
  for (const { name, partitions } of wanted) {
    const count = counts.get(name) ?? partitions;
    counts.set(name, count);
    if (count !== partitions)
      throw new PartitionCountChangedError(`topic '${name}' has ${count} partitions, ${partitions} are wanted now`, {
        details: { topic: name, recorded: count, wanted: partitions },
      });
  }
  for (const topic of wanted) await log.createTopic({ config: {}, ...topic });
}
