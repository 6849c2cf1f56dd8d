/**
 * Whether copies of a task are of use now. Pure; the member that holds them asks before it ends for idleness, the scheduler before it
 * leaves a slot asleep: both by the same rule, so that neither undoes what the other does.
 *
 *   U1  copies are of use while somebody who lives runs the task and has had something to do within `idleTimeoutMs`
 *   U2  who is idle needs nobody: members that copy each other's tasks all end when all are idle
 *   U3  to begin is not to have something to do: an incarnation is as idle as its slot was before it. Else members whose deadlines come
 *       one after the other would each find another that has just begun, and none would ever end
 */
import type { TaskId } from '../model/task-id.js';
import { isSameIncarnation } from './lease-transitions.js';
import type { Lease, Member } from './records.js';
import { isRun } from './rules.js';

export function areCopiesInUse(question: {
  readonly taskIds: readonly TaskId[];
  readonly leases: readonly Lease[];
  readonly members: readonly Member[];
  readonly idleTimeoutMs: number;
}): boolean {
  const { taskIds, leases, members, idleTimeoutMs } = question;
  if (taskIds.length === 0) return false;
  return leases.some(({ taskId, owner }) => {
    if (owner === null || !taskIds.includes(taskId)) return false;
    const member = members.find((one) => isSameIncarnation(one, owner));
    return member !== undefined && isRun(member) && (member.report.idleForMs ?? 0) < idleTimeoutMs;
  });
}
