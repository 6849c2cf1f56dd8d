import { chooseSlotForDoorbell } from '../leases/doorbell-slot.js';
import { mayTakeForDoorbell } from '../leases/rules.js';
import type { LogReader } from '../log/log.js';
import { type Offset, offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { parseTopicPartitionKey, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import type { RuntimePorts } from './ports.js';
import { ringScheduler } from './ring-scheduler.js';
import { type MemberOutcome, type RunMemberOptions, runMember } from './run-member.js';
import { loadTaskDirectory } from './task-directory.js';

export interface RunDoorbellOptions
  extends Omit<RunMemberOptions, 'memberId' | 'incarnation' | 'others' | 'doorbell' | 'onClaimed'> {
  /** Where there may be work: partitions by name on the broker, with the end of what is known to be there (exclusive). */
  readonly partitions: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly toOffset: Offset | null;
  }[];
}

/** Tasks to run, with the offsets to reach. */
type Wanted = ReadonlyMap<TaskId, ReadonlyMap<TopicPartitionKey, Offset>>;

/**
 * Answers an event that says "there may be work". It is a hint: what is held or granted to a live member is left to that; what
 * nobody runs is run here, by a member of its own, up to at least the offsets in the event, as far as the log has them, and until
 * there is no more work. Where it is the first to run it calls the scheduler, which wakes the slots that the event or the member makes work for.
 *
 * @returns null if there was nothing to do here
 * @throws as `runMember`, and {UnknownTopicError} STREAMS_UNKNOWN_TOPIC before the scheduler has created the internal topics
 */
export async function runDoorbell(options: RunDoorbellOptions): Promise<MemberOutcome | null> {
  const { app, ports, partitions } = options;
  const wanted = await tasksToRun(app, ports, partitions);
  if (wanted.size === 0) return null;
  const before = await ports.leases.listMembers();
  const plan = await ports.leases.readPlan();
  const slot = chooseSlotForDoorbell({ members: before, plan, wanted: [...wanted.keys()] });
  return runMember({
    ...options,
    ...slot,
    doorbell: wanted,
    onClaimed: (claimed) => ringScheduler({ app, before, ...claimed }),
  });
}

/** The tasks behind these partitions that nobody runs or is about to run, with the offsets to reach. */
async function tasksToRun(
  app: StreamsApp,
  ports: RuntimePorts,
  partitions: RunDoorbellOptions['partitions'],
): Promise<Wanted> {
  const plan = await ports.leases.readPlan();
  const members = await ports.leases.listMembers();
  const directory = await loadTaskDirectory(app, ports.log, plan);
  const wanted = new Map<TaskId, ReadonlyMap<TopicPartitionKey, Offset>>();
  for (const task of directory.tasks.values()) {
    const until = offsetsFor(task, partitions);
    if (until === null) continue;
    const { taskId } = task;
    const lease = await ports.leases.readLease(taskId);
    if (mayTakeForDoorbell({ plan, taskId, lease, members }).may) wanted.set(taskId, until);
  }
  return upToTheEnd(wanted, ports.log);
}

/**
 * No offset beyond the end of our log: nobody would ever reach it. Such a one is of another life of the topic, or of a topic of that
 * name on another cluster.
 */
async function upToTheEnd(wanted: Wanted, log: LogReader): Promise<Wanted> {
  const keys = new Set([...wanted.values()].flatMap((until) => [...until.keys()]));
  if (keys.size === 0) return wanted;
  const ends = await log.listOffsets([...keys].map(parseTopicPartitionKey), 'highWatermark');
  const reached = (key: TopicPartitionKey, to: Offset) => offset(Math.min(to, ends.get(key) ?? 0));
  return new Map(
    [...wanted].map(([id, until]) => [id, new Map([...until].map(([key, to]) => [key, reached(key, to)]))]),
  );
}

/** @returns null if the event says nothing of this task */
function offsetsFor(
  { inputs }: TaskSpec,
  partitions: RunDoorbellOptions['partitions'],
): ReadonlyMap<TopicPartitionKey, Offset> | null {
  const keys = new Set(inputs.map((input) => topicPartitionKey(input)));
  const mine = partitions.filter((partition) => keys.has(topicPartitionKey(partition)));
  if (mine.length === 0) return null;
  const until = new Map<TopicPartitionKey, Offset>();
  for (const partition of mine) {
    if (partition.toOffset !== null) until.set(topicPartitionKey(partition), partition.toOffset);
  }
  return until;
}
