/**
 * The topics of a task by their ids: read when a session opens, compared with what the lease names, recorded there, and
 * looked at again while the session runs.
 *
 * Invariants (docs/decisions/0014-topics-have-an-identity.md)
 *   I1  the lease names the topics before the first of their records is processed
 *   I2  an offset that the task committed counts only in the life of the topic that the lease names; else STREAMS_LOST_OFFSETS
 *       (start-offsets.ts)
 *   I3  if an input goes on from such an offset, a changelog has to be the one that the lease names; else STREAMS_LOST_STATE
 *   I4  a session reads its topics by the ids that it opened with (L8 of log.ts): a new life ends it
 */
import type { TopicIds } from '../leases/records.js';
import { isOtherLife, type TopicLives } from '../leases/topic-lives.js';
import type { TopicAdmin } from '../log/log.js';
import { LostStateError, TopicRecreatedError, UnknownTopicError } from '../model/errors.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import type { StartOffsets } from './start-offsets.js';

/**
 * The ids of a task's inputs and changelogs, as they are now.
 *
 * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC if one does not exist
 */
export async function readTopicIds(log: Pick<TopicAdmin, 'describeTopics'>, task: TaskSpec): Promise<TopicIds> {
  const names = [...new Set([...task.inputs, ...task.changelogs].map(({ topic }) => topic))].sort();
  const described = await log.describeTopics(names);
  const ids: Record<string, string> = {};
  for (const topic of names) {
    const found = described.get(topic);
    if (found === undefined) throw new UnknownTopicError(`there is no topic '${topic}'`, { details: { topic } });
    ids[topic] = found.topicId;
  }
  return ids;
}

/** I3. @throws {LostStateError} STREAMS_LOST_STATE */
export function refuseOtherChangelogs(task: TaskSpec, lives: TopicLives, start: Pick<StartOffsets, 'goesOn'>): void {
  if (!start.goesOn) return;
  const lost = task.changelogs.find(({ topic, internal }) => internal && isOtherLife(lives, topic));
  if (lost === undefined) return;
  const { store, topic, partition } = lost;
  throw new LostStateError(`changelog ${topic} of store ${store} was deleted and created again`, {
    details: {
      taskId: task.taskId,
      store,
      topic,
      partition,
      recordedTopicId: lives.recorded?.[topic],
      topicId: lives.current[topic],
    },
  });
}

/** I4, for topics that are written and not read, and for brokers that do not read by id. @throws {TopicRecreatedError} */
export async function checkTopicIds(
  log: Pick<TopicAdmin, 'describeTopics'>,
  task: TaskSpec,
  opened: TopicIds,
): Promise<void> {
  const current = await readTopicIds(log, task);
  for (const topic of Object.keys(current)) refuseOtherLife(topic, opened, current[topic]);
}

/** @throws {TopicRecreatedError} STREAMS_TOPIC_RECREATED */
export function refuseOtherLife(topic: string, opened: TopicIds, topicId: string | undefined): void {
  if (topicId === opened[topic]) return;
  throw new TopicRecreatedError(`topic '${topic}' was deleted and created again`, {
    details: { topic, wantedTopicId: opened[topic], topicId },
  });
}
