import type { MemberId, Plan } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';

/** What a copy is for. `waiting`: the task is granted here, and its run has not taken the stores yet. */
export type CopyRole = 'standby' | 'warmup' | 'waiting';

/**
 * What a member copies under a plan, and what for. Pure.
 *
 * @param goals tasks that it should run
 * @param warmsUp whether these are to be copied before they are taken (predecessor.ts)
 */
export function copyRoles(question: {
  readonly plan: Plan | null;
  readonly self: MemberId;
  readonly goals: ReadonlySet<TaskId>;
  readonly warmsUp: boolean;
}): ReadonlyMap<TaskId, CopyRole> {
  const { plan, self, goals, warmsUp } = question;
  const held = plan?.assignment[self];
  const roles = new Map<TaskId, CopyRole>();
  for (const taskId of held?.standby ?? []) roles.set(taskId, 'standby');
  for (const taskId of held?.warmup ?? []) roles.set(taskId, 'warmup');
  for (const taskId of goals) roles.set(taskId, warmsUp ? 'warmup' : 'waiting');
  return roles;
}
