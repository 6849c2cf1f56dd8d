/**
 * What of a slot that is drained warm (V9 of membership.ts) stays there, and is prepared elsewhere. Pure.
 *
 *   W1  a task with stores stays until whom the assignor would give it has a copy that is caught up; until then that member keeps a
 *       warm-up of it. What has no stores, or so few records that any member is caught up, moves at once
 *   W2  there are no more warm-ups in all than `maxWarmupReplicas`; the other tasks wait their turn
 *   W3  it ends: with the last task that moves, with the slot's incarnation, or when the operator's patience is over
 */
import { isAcceptable, lagOn } from '../assignment/lags.js';
import type { AssignableMember, AssignableTask, AssignmentInput } from '../assignment/task-assignor.js';
import type { MemberAssignment, MemberId, Plan } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';
import { actives } from './placements.js';

export interface KeptUntilWarm {
  readonly assignment: Plan['assignment'];
  /** Whether anything is kept: then the assignor has to be asked again. */
  readonly isOnTheWay: boolean;
}

/**
 * The placement that the assignor wants, with the tasks that are not ready to leave kept where they are.
 *
 * @param leaving the slots that are drained warm
 * @param target what the assignor wants, without them
 */
export function keptUntilWarm(
  leaving: readonly MemberId[],
  plan: Plan | null,
  target: Plan['assignment'],
  input: AssignmentInput,
): KeptUntilWarm {
  const owners = actives(target);
  const tasks = new Map(input.tasks.map((task) => [task.id, task]));
  const members = new Map(input.members.map((member) => [member.id, member]));
  const kept = new Map<TaskId, MemberId>(); // by the slot that keeps it
  for (const id of leaving)
    for (const taskId of plan?.assignment[id]?.active ?? []) {
      const to = owners.get(taskId);
      const [task, member] = [tasks.get(taskId), to === undefined ? undefined : members.get(to)];
      if (task !== undefined && member !== undefined && !isReady(task, member, input)) kept.set(taskId, id);
    }
  if (kept.size === 0) return { assignment: target, isOnTheWay: false };
  let warmupsLeft = input.settings.maxWarmupReplicas - countWarmups(target);
  const assignment: Record<MemberId, MemberAssignment> = {};
  for (const [id, held] of Object.entries(target) as [MemberId, MemberAssignment][]) {
    const mine = held.active.filter((taskId) => kept.has(taskId));
    const prepared = mine.filter((taskId) => !held.standby.includes(taskId)).slice(0, Math.max(0, warmupsLeft));
    warmupsLeft -= prepared.length;
    const active = held.active.filter((taskId) => !kept.has(taskId));
    assignment[id] = { active, standby: held.standby, warmup: [...held.warmup, ...prepared] };
  }
  for (const id of leaving) {
    const active = [...kept].filter(([, by]) => by === id).map(([taskId]) => taskId);
    if (active.length > 0) assignment[id] = { active, standby: [], warmup: [] };
  }
  return { assignment, isOnTheWay: true };
}

/** W1. */
function isReady(task: AssignableTask, to: AssignableMember, { settings }: AssignmentInput): boolean {
  return !task.stateful || isAcceptable(lagOn(to, task), settings.acceptableRecoveryLag);
}

function countWarmups(assignment: Plan['assignment']): number {
  return Object.values(assignment).reduce((sum, { warmup }) => sum + warmup.length, 0);
}
