/** From what was observed to what an assignor sees. Pure. */
import { ZONE_TAG } from '../assignment/tags-read.js';
import {
  type AssignableMember,
  type AssignableTask,
  type AssignmentInput,
  RUNNING_LAG,
} from '../assignment/task-assignor.js';
import { placementTags } from '../leases/placement-tags.js';
import type { Lease, MemberId, Plan, StorePosition } from '../leases/records.js';
import { isRun } from '../leases/rules.js';
import { compareMemberIds } from '../leases/slots.js';
import { lagBetween } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { TaskChangelog, TaskSpec } from '../topology/resolve-partitions.js';
import { capacityOf } from './capacity.js';
import type { Membership } from './membership.js';
import { placementSettings } from './placed-by.js';
import type { ApplicationState, ObservedChangelog, ObservedMember } from './state.js';

/**
 * The assignor's input: the slots that count are live, other known ones only tell what they held.
 *
 * What a slot held before is what the plan gave it, also while it is still taking it: a task on its way is not sent
 * elsewhere. Without a plan (the first one, or a table that was emptied) it is what its leases say.
 *
 * What a copy lacks is told by its member's report and the ends of the changelogs as they are now; nothing, of a task that the
 * member runs. Where the ends are not known, `lagsUnknown` says that nobody knows what copies lack.
 */
export function assignmentInput(
  state: ApplicationState,
  membership: Membership,
  tasks: readonly TaskSpec[],
): AssignmentInput {
  const { settings } = state.app;
  const counted = new Set(membership.counted);
  const known = new Set([
    ...membership.counted,
    ...membership.members.map(({ memberId }) => memberId),
    ...((state.plan === null ? [] : Object.keys(state.plan.assignment)) as MemberId[]),
  ]);
  const byId = new Map(membership.members.map((member) => [member.memberId, member]));
  return {
    tasks: tasks.map((task) => assignable(task, state)),
    members: [...known].sort(compareMemberIds).map((id): AssignableMember => {
      const member = byId.get(id);
      return {
        id,
        live: counted.has(id),
        capacity: capacityOf(member, settings.tasksPerMember),
        tags: placementTags(member?.tags ?? {}),
        ...zoneOf(member),
        ...previousOf(id, state.plan, state.leases),
        lags: lagsOf(member, tasks, state),
      };
    }),
    settings: placementSettings(settings),
    partitionZones: zonesOfPartitions(tasks, state),
    ...(state.changelogs === null ? { lagsUnknown: true } : {}),
  };
}

function assignable(task: TaskSpec, { changelogs, weights }: ApplicationState): AssignableTask {
  const { taskId: id, stateful, inputs } = task;
  const changelogRecords = sumOver(task, changelogs, ({ startOffset, endOffset }) =>
    lagBetween(startOffset, endOffset),
  );
  return {
    id,
    stateful,
    inputs,
    changelogs: task.changelogs,
    weight: weights.get(id) ?? 1,
    ...(changelogRecords === undefined ? {} : { changelogRecords }),
  };
}

/** The sum over a task's changelogs; undefined where one of them is not known. */
function sumOver(
  { changelogs }: TaskSpec,
  observed: ApplicationState['changelogs'],
  of: (changelog: ObservedChangelog, at: TaskChangelog) => number | undefined,
): number | undefined {
  let sum = 0;
  for (const at of changelogs) {
    const changelog = observed?.get(topicPartitionKey(at));
    const part = changelog === undefined ? undefined : of(changelog, at);
    if (part === undefined) return undefined;
    sum += part;
  }
  return sum;
}

/** The zones of what tasks read and of their changelogs, where brokers name them. */
function zonesOfPartitions(
  tasks: readonly TaskSpec[],
  { topics }: ApplicationState,
): ReadonlyMap<TopicPartitionKey, readonly string[]> {
  const zones = new Map<TopicPartitionKey, readonly string[]>();
  for (const at of tasks.flatMap(({ inputs, changelogs }) => [...inputs, ...changelogs])) {
    const racks = topics.get(at.topic)?.replicaRacks?.[at.partition];
    if (racks !== undefined && racks.length > 0) zones.set(topicPartitionKey(at), racks);
  }
  return zones;
}

function zoneOf(member: ObservedMember | undefined): Pick<AssignableMember, 'zone'> {
  const zone = member?.tags[ZONE_TAG];
  return zone === undefined ? {} : { zone };
}

function previousOf(
  id: MemberId,
  plan: Plan | null,
  leases: readonly Lease[],
): Pick<AssignableMember, 'previousActive' | 'previousStandby' | 'previousWarmup'> {
  if (plan === null) {
    const owned = leases.filter(({ owner }) => owner?.memberId === id).map(({ taskId }) => taskId);
    return { previousActive: owned, previousStandby: [], previousWarmup: [] };
  }
  const held = plan.assignment[id];
  return {
    previousActive: held?.active ?? [],
    previousStandby: held?.standby ?? [],
    previousWarmup: held?.warmup ?? [],
  };
}

/** Lag per task that the member runs, or of which it has a copy of every store: what it lacks is the sum over the stores. */
function lagsOf(
  member: ObservedMember | undefined,
  tasks: readonly TaskSpec[],
  state: ApplicationState,
): ReadonlyMap<TaskId, number> {
  const lags = new Map<TaskId, number>();
  if (member === undefined) return lags;
  const runs = tasksRunBy(member, state.leases);
  const positions = new Map(member.report.positions.map((copy) => [copyKey(copy), copy]));
  for (const task of tasks) {
    if (!task.stateful) continue;
    const lag = runs.has(task.taskId) ? RUNNING_LAG : lagOfCopy(task, positions, state);
    if (lag !== undefined) lags.set(task.taskId, lag);
  }
  return lags;
}

/**
 * Its leases, as far as it has what they need: those that it reports to run, and those that it has taken since, of which its report
 * can not know yet. Where it restores or refuses one its next report says so. As long as it has not said that it is ready for any plan, those of the
 * incarnation before as well, which works on until then (predecessor.ts of the runtime): a deployment is no reason to move them.
 */
function tasksRunBy(member: ObservedMember, leases: readonly Lease[]): Set<TaskId> {
  const { report, memberId, incarnation } = member;
  const isTakingOver = report.planRead === undefined;
  if (!isRun(member)) return new Set();
  const restores = (report.restores ?? []).filter(({ copy }) => copy !== true);
  const without = new Set([...restores, ...(report.refused ?? [])].map(({ taskId }) => taskId));
  const owned = leases.filter(
    ({ owner }) => owner?.memberId === memberId && (owner.incarnation === incarnation || isTakingOver),
  );
  return new Set(owned.map(({ taskId }) => taskId).filter((taskId) => !without.has(taskId)));
}

function lagOfCopy(
  task: TaskSpec,
  positions: ReadonlyMap<string, StorePosition>,
  { changelogs }: ApplicationState,
): number | undefined {
  return sumOver(task, changelogs, ({ endOffset }, { store }) => {
    const copy = positions.get(copyKey({ taskId: task.taskId, store }));
    return copy === undefined ? undefined : lagBetween(copy.nextOffset, endOffset);
  });
}

function copyKey({ taskId, store }: Pick<StorePosition, 'taskId' | 'store'>): string {
  return `${taskId} ${store}`;
}
