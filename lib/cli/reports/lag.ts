import type { Lease, Member, MemberId } from '../../leases/records.js';
import { changelogEnds } from '../../log/changelog-ends.js';
import { CommandRefusedError } from '../../model/errors.js';
import { lagBetween } from '../../model/offset.js';
import { compareTaskIds, type TaskId } from '../../model/task-id.js';
import { type TopicPartition, topicPartitionKey } from '../../model/topic-partition.js';
import { loadTaskDirectory } from '../../runtime/task-directory.js';
import type { TaskSpec } from '../../topology/resolve-partitions.js';
import type { ApplicationView, ReadableLog } from '../application-view.js';

/** An input of a task. */
export interface InputLag {
  readonly topic: string;
  readonly partition: number;
  /** Committed, or as recorded with the last release; null: neither. */
  readonly nextOffset: number | null;
  /** What a reader of committed records can reach (exclusive). */
  readonly endOffset: number;
  /** Offsets between; markers of transactions count. */
  readonly lag: number;
}

/** A member's copy of a task's stores. */
export interface CopyLag {
  readonly memberId: MemberId;
  /** Offsets of the changelogs that it lacks, by what it has reported last; 0: it is current. */
  readonly lag: number;
}

export interface TaskLag {
  readonly taskId: TaskId;
  readonly owner: MemberId | null;
  /** Summed over the inputs. */
  readonly lag: number;
  readonly inputs: readonly InputLag[];
  readonly copies: readonly CopyLag[];
}

export interface LagReport {
  readonly applicationId: string;
  /** Summed over the tasks. */
  readonly lag: number;
  readonly tasks: readonly TaskLag[];
}

/**
 * How far each task is behind its inputs, and each copy behind its changelogs.
 *
 * @throws {CommandRefusedError} STREAMS_COMMAND_REFUSED where the topology is not known · as `loadTaskDirectory` · as the log
 */
export async function reportLag({ applicationId, app, leases, log: connect }: ApplicationView): Promise<LagReport> {
  if (app === null)
    throw new CommandRefusedError('lag needs the topology: which topics a task reads is not in the tables', {
      remedy: 'Name the module of the application: `--app ./dist/app.js`.',
    });
  const log = await connect();
  const [plan, held, members] = await Promise.all([leases.readPlan(), leases.listLeases(), leases.listMembers()]);
  const directory = await loadTaskDirectory(app, log, plan);
  const specs = [...directory.tasks.values()].sort((a, b) => compareTaskIds(a.taskId, b.taskId));
  const inputs = await inputLags(applicationId, log, specs, held);
  const ends = await changelogEnds(
    log,
    applicationId,
    specs.flatMap(({ changelogs }) => changelogs),
  );
  const tasks = specs.map(({ taskId, changelogs }): TaskLag => {
    const own = inputs.get(taskId) ?? [];
    const owner = held.find((lease) => lease.taskId === taskId)?.owner?.memberId ?? null;
    const endOf = new Map(changelogs.map((one) => [one.store, Number(ends.get(topicPartitionKey(one)) ?? 0)]));
    return {
      taskId,
      owner,
      lag: sum(own.map(({ lag }) => lag)),
      inputs: own,
      copies: copiesOf(taskId, endOf, members),
    };
  });
  return { applicationId, lag: sum(tasks.map(({ lag }) => lag)), tasks };
}

async function inputLags(
  applicationId: string,
  log: ReadableLog,
  specs: readonly TaskSpec[],
  held: readonly Lease[],
): Promise<ReadonlyMap<TaskId, readonly InputLag[]>> {
  const all = specs.flatMap(({ inputs }) => inputs);
  const [committed, starts, ends] = await Promise.all([
    log.committedOffsets(applicationId, all),
    log.listOffsets(all, 'earliest'),
    log.listOffsets(all, 'lastStable'),
  ]);
  const lagOf = (taskId: TaskId, at: TopicPartition): InputLag => {
    const key = topicPartitionKey(at);
    const recorded = held.find((lease) => lease.taskId === taskId)?.offsets?.[key];
    const next = committed.get(key)?.nextOffset ?? recorded?.nextOffset ?? null;
    const start = starts.get(key);
    const end = ends.get(key);
    const lag = end === undefined ? 0 : lagBetween(next ?? start ?? end, end);
    const { topic, partition } = at;
    return { topic, partition, nextOffset: next, endOffset: end ?? 0, lag };
  };
  return new Map(specs.map(({ taskId, inputs }) => [taskId, inputs.map((at) => lagOf(taskId, at))]));
}

/** Copies are whole or none: who lacks a store of the task has no copy of it. */
function copiesOf(taskId: TaskId, endOf: ReadonlyMap<string, number>, members: readonly Member[]): readonly CopyLag[] {
  if (endOf.size === 0) return [];
  return members.flatMap(({ memberId, report }) => {
    const own = report.positions.filter((position) => position.taskId === taskId && endOf.has(position.store));
    if (own.length < endOf.size) return [];
    const lag = sum(own.map(({ store, nextOffset }) => Math.max(0, (endOf.get(store) ?? 0) - nextOffset)));
    return [{ memberId, lag }];
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
