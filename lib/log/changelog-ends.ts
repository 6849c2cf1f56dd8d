import type { Offset } from '../model/offset.js';
import type { TopicPartition, TopicPartitionKey } from '../model/topic-partition.js';
import type { LogReader, OffsetStore } from './log.js';

/** A changelog partition: one of the application's own, or of a source topic that serves as one. */
export interface ChangelogPartition extends TopicPartition {
  readonly internal: boolean;
}

/**
 * Where a copy of each changelog may go to now (exclusive): the last stable offset; of a source topic, what its task has committed. What is not
 * there, or was never committed, is not in the answer. Kafka: `fetchEndOffsets` and `fetchCommittedOffsets` of `StreamsPartitionAssignor`.
 *
 * @throws as `listOffsets` and `committedOffsets` of the log
 */
export async function changelogEnds(
  log: Pick<LogReader, 'listOffsets'> & Pick<OffsetStore, 'committedOffsets'>,
  applicationId: string,
  changelogs: readonly ChangelogPartition[],
): Promise<ReadonlyMap<TopicPartitionKey, Offset>> {
  const at = (internal: boolean): readonly TopicPartition[] =>
    changelogs.filter((one) => one.internal === internal).map(({ topic, partition }) => ({ topic, partition }));
  const [own, sources] = [at(true), at(false)];
  const [ends, committed] = await Promise.all([
    own.length === 0 ? [] : log.listOffsets(own, 'lastStable'),
    sources.length === 0 ? [] : log.committedOffsets(applicationId, sources),
  ]);
  return new Map([...ends, ...[...committed].map(([key, { nextOffset }]) => [key, nextOffset] as const)]);
}
