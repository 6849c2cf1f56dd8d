import type { Lease, Member, Plan, RecordedOffset } from '../leases/records.js';
import { isOtherLife, isTasksOwn } from '../leases/topic-lives.js';
import type { CommittedOffset, LogReader, OffsetStore, TopicDescription } from '../log/log.js';
import { offset } from '../model/offset.js';
import { parseTaskId, type TaskId } from '../model/task-id.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import { type StreamsApp, topicName } from '../topology/app.js';
import { subTopologyOf } from '../topology/topology.js';
import type { ObservedInput } from './state.js';

export interface ObserveInputs {
  readonly app: StreamsApp;
  readonly log: Pick<LogReader, 'listOffsets'> & Pick<OffsetStore, 'committedOffsets'>;
  readonly members: readonly Member[];
  readonly leases: readonly Lease[];
  readonly plan: Plan | null;
  readonly topics: ReadonlyMap<string, TopicDescription>;
}

/**
 * Where the inputs stand of the tasks that were released in order and are granted to a free slot: those that may sleep (sleep.ts).
 * Nothing is read where members are resident, or while all of them run.
 *
 * @throws {UnavailableError} STREAMS_UNAVAILABLE
 */
export async function observeInputs(question: ObserveInputs): Promise<ReadonlyMap<TaskId, readonly ObservedInput[]>> {
  const { app, log, topics } = question;
  const released = releasedTasks(question);
  const inputsOf = new Map(released.map(({ taskId }) => [taskId, inputs(question, taskId)]));
  const all = [...inputsOf.values()].flat();
  if (all.length === 0) return new Map([...inputsOf.keys()].map((taskId) => [taskId, []]));
  const [committed, starts, ends] = await Promise.all([
    log.committedOffsets(app.applicationId, all),
    log.listOffsets(all, 'earliest'),
    log.listOffsets(all, 'lastStable'),
  ]);
  const observe = (lease: Lease, at: TopicPartition): ObservedInput => {
    const key = topicPartitionKey(at);
    const topic = topics.get(at.topic);
    const known = ofThisTopic(lease, committed.get(key), topic) ?? recordedOffset(lease, key, topic);
    return {
      nextOffset: known?.nextOffset ?? null,
      startOffset: starts.get(key) ?? offset(0),
      endOffset: ends.get(key) ?? offset(0),
    };
  };
  return new Map(
    released.map((lease) => [lease.taskId, (inputsOf.get(lease.taskId) ?? []).map((at) => observe(lease, at))]),
  );
}

/** What is committed, unless the task has committed it in another life of the topic: it has to wake and say so (O5 of start-offsets.ts). */
function ofThisTopic(
  { topicIds }: Lease,
  committed: CommittedOffset | undefined,
  topic: TopicDescription | undefined,
): CommittedOffset | undefined {
  if (committed === undefined || topic === undefined || !isTasksOwn(committed)) return committed;
  const lives = { recorded: topicIds, current: { [topic.name]: topic.topicId } };
  return isOtherLife(lives, topic.name) ? undefined : committed;
}

/** What the last release recorded, unless the topic was created again since: its offsets say nothing of this one. */
function recordedOffset(
  { offsets }: Lease,
  key: TopicPartitionKey,
  topic: TopicDescription | undefined,
): RecordedOffset | undefined {
  const recorded = offsets?.[key];
  return recorded?.topicId === undefined || recorded.topicId === topic?.topicId ? recorded : undefined;
}

function releasedTasks({ app, members, leases, plan }: ObserveInputs): readonly Lease[] {
  if (app.settings.idleTimeoutMs === 0 || plan === null) return [];
  const free = members.filter(({ status }) => status === 'free');
  const granted = new Set(free.flatMap(({ memberId }) => plan.assignment[memberId]?.active ?? []));
  return leases.filter(({ taskId, owner }) => owner === null && granted.has(taskId));
}

/** The task's partition of each source topic that has that many. */
function inputs({ app, topics }: ObserveInputs, id: TaskId): readonly TopicPartition[] {
  const { subTopology, partition } = parseTaskId(id);
  const sources = subTopologyOf(app.topology, subTopology)?.sourceTopics ?? [];
  return sources
    .map((name) => topicName(app, name))
    .filter((topic) => partition < (topics.get(topic)?.partitions ?? 0))
    .map((topic) => ({ topic, partition }));
}
