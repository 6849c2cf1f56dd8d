/**
 * What of a slot that leaves, since fewer members are wanted or an operator drains it warm (V9 of membership.ts), stays there, and is prepared
 * elsewhere. Pure.
 *
 *   W1  a task with stores stays until whom the assignor would give it has a copy that is caught up; until then that member keeps a
 *       warm-up of it. What has no stores, or so few records that any member is caught up, moves at once
 *   W2  there are no more warm-ups in all than `maxWarmupReplicas`; the other tasks wait their turn
 *   W3  it ends: with the last task that moves, when nobody runs the slot any more, or when patience is over: the operator's, or `WARM_PATIENCE_MS`
 */
import { isAcceptable, lagOn } from '../assignment/lags.js';
import type { AssignableMember, AssignableTask, AssignmentInput } from '../assignment/task-assignor.js';
import type { MemberAssignment, MemberId, Plan } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';
import { actives } from './placements.js';

export interface KeptUntilWarm {
  readonly assignment: Plan['assignment'];
  /** Of the leaving slots those that keep something; none: all is as the assignor wants it, else it has to be asked again. */
  readonly leaving: ReadonlyMap<MemberId, number>;
}

/**
 * The placement that the assignor wants, with the tasks that are not ready to leave kept where they are.
 *
 * @param leaving the slots that are leaving, and until when at the latest
 * @param target what the assignor wants, without them
 */
export function keptUntilWarm(
  leaving: ReadonlyMap<MemberId, number>,
  plan: Plan | null,
  target: Plan['assignment'],
  input: AssignmentInput,
): KeptUntilWarm {
  const owners = actives(target);
  const tasks = new Map(input.tasks.map((task) => [task.id, task]));
  const members = new Map(input.members.map((member) => [member.id, member]));
  const kept = new Map<TaskId, MemberId>(); // by the slot that keeps it
  for (const id of leaving.keys())
    for (const taskId of plan?.assignment[id]?.active ?? []) {
      const to = owners.get(taskId);
      const [task, member] = [tasks.get(taskId), to === undefined ? undefined : members.get(to)];
      if (task !== undefined && member !== undefined && !isReady(task, member, input)) kept.set(taskId, id);
    }
  if (kept.size === 0) return { assignment: target, leaving: new Map() };
  let warmupsLeft = input.settings.maxWarmupReplicas - countWarmups(target);
  const assignment: Record<MemberId, MemberAssignment> = {};
  for (const [id, held] of Object.entries(target) as [MemberId, MemberAssignment][]) {
    const mine = held.active.filter((taskId) => kept.has(taskId));
    const prepared = mine.filter((taskId) => !held.standby.includes(taskId)).slice(0, Math.max(0, warmupsLeft));
    warmupsLeft -= prepared.length;
    const active = held.active.filter((taskId) => !kept.has(taskId));
    assignment[id] = { active, standby: held.standby, warmup: [...held.warmup, ...prepared] };
  }
  const keepers = new Map([...leaving].filter(([id]) => [...kept.values()].includes(id)));
  for (const id of keepers.keys()) {
    const active = [...kept].filter(([, by]) => by === id).map(([taskId]) => taskId);
    assignment[id] = { active, standby: [], warmup: [] };
  }
  return { assignment, leaving: keepers };
}

/** W1. */
function isReady(task: AssignableTask, to: AssignableMember, { settings }: AssignmentInput): boolean {
  return !task.stateful || isAcceptable(lagOn(to, task), settings.acceptableRecoveryLag);
}

function countWarmups(assignment: Plan['assignment']): number {
  return Object.values(assignment).reduce((sum, { warmup }) => sum + warmup.length, 0);
}
