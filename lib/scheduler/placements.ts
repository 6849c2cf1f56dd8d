/** Arithmetic over the placements of plans: who has what, what differs, what moved. Pure. */
import type { MemberAssignment, MemberId, Plan } from '../leases/records.js';
import { compareTaskIds, type TaskId } from '../model/task-id.js';
import type { Move } from './actions.js';
import { placedOver } from './membership.js';

/** The slot of each active task. */
export function actives(assignment: Plan['assignment']): ReadonlyMap<TaskId, MemberId> {
  return new Map(entries(assignment).flatMap(([id, { active }]) => active.map((taskId) => [taskId, id] as const)));
}

/** Tasks that a plan gives to another slot than the one before, by task. */
export function movesBetween(before: Plan | null, after: Plan): readonly Move[] {
  const was = before === null ? new Map<TaskId, MemberId>() : actives(before.assignment);
  return [...actives(after.assignment)]
    .filter(([taskId, to]) => was.get(taskId) !== to)
    .map(([taskId, to]) => ({ taskId, from: was.get(taskId) ?? null, to }))
    .sort((a, b) => compareTaskIds(a.taskId, b.taskId));
}

/** The assignment with some tasks left where the plan has them. */
export function pinned(assignment: Plan['assignment'], plan: Plan, taskIds: readonly TaskId[]): Plan['assignment'] {
  const pins = new Set(taskIds);
  const stay = actives(plan.assignment);
  return Object.fromEntries(
    entries(assignment).map(([id, held]): [MemberId, MemberAssignment] => {
      const own = taskIds.filter((taskId) => stay.get(taskId) === id);
      const active = [...held.active.filter((taskId) => !pins.has(taskId)), ...own].sort(compareTaskIds);
      const copies = (list: readonly TaskId[]) => list.filter((taskId) => !own.includes(taskId));
      return [id, { active, standby: copies(held.standby), warmup: copies(held.warmup) }];
    }),
  );
}

/** Whether a plan says anything else than the newest one; number, time, reason and the dead aside. */
export function differs(
  plan: Plan,
  next: Pick<Plan, 'assignment' | 'assignor' | 'partitions' | 'followUp' | 'placedOver' | 'placedBy' | 'rest'>,
): boolean {
  return (
    (plan.rest === undefined) !== (next.rest === undefined) ||
    plan.assignor !== next.assignor ||
    !samePlacedBy(plan.placedBy, next.placedBy) ||
    (plan.followUp ?? false) !== (next.followUp ?? false) ||
    !sameList(placedOver(plan), next.placedOver ?? []) ||
    !sameAssignment(plan.assignment, next.assignment) ||
    !samePartitions(plan.partitions, next.partitions)
  );
}

/** In whatever order a table gives back the names. */
function samePlacedBy(a: Plan['placedBy'], b: Plan['placedBy']): boolean {
  if (a === undefined || b === undefined) return a === b;
  const lines = (map: Readonly<Record<string, string>>) => Object.entries(map).map(([name, text]) => `${name} ${text}`);
  return sameSet(lines(a.settings), lines(b.settings)) && sameSet(lines(a.tags), lines(b.tags));
}

function sameAssignment(a: Plan['assignment'], b: Plan['assignment']): boolean {
  const left = entries(a);
  if (left.length !== entries(b).length) return false;
  return left.every(([id, held]) => {
    const other = b[id];
    return (
      other !== undefined &&
      sameSet(held.active, other.active) &&
      sameSet(held.standby, other.standby) &&
      sameSet(held.warmup, other.warmup)
    );
  });
}

function samePartitions(a: Plan['partitions'], b: Plan['partitions']): boolean {
  const topics = Object.keys(a);
  return topics.length === Object.keys(b).length && topics.every((topic) => a[topic] === b[topic]);
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return sameList([...a].sort(), [...b].sort());
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function entries(assignment: Plan['assignment']): readonly [MemberId, MemberAssignment][] {
  return Object.entries(assignment) as [MemberId, MemberAssignment][];
}
