/** What a member lacks of a task's stores, and when that is little enough. KIP-441. */
import type { TaskId } from '../model/task-id.js';
import { type AssignableMember, type AssignableTask, type MemberPlacement, RUNNING_LAG } from './task-assignor.js';

/** The `acceptableRecoveryLag` that means that there is no bound: everyone counts as caught up, whatever they lack. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/**
 * Changelog records that a member lacks of a stateful task: of its copy, or of all there are where it has none.
 *
 * @returns `RUNNING_LAG` of a task that it runs; infinity where it has no copy and nobody knows how long the changelog is
 */
export function lagOn(member: AssignableMember, task: Pick<AssignableTask, 'id' | 'changelogRecords'>): number {
  return member.lags.get(task.id) ?? task.changelogRecords ?? Number.POSITIVE_INFINITY;
}

/** Whether who lacks so much counts as caught up; the bound is inclusive. */
export function isAcceptable(lag: number, acceptableRecoveryLag: number): boolean {
  return acceptableRecoveryLag >= UNBOUNDED || lag === RUNNING_LAG || (lag >= 0 && lag <= acceptableRecoveryLag);
}

/** What a member held, as a placement says it. */
export function heldBefore(member: AssignableMember): MemberPlacement {
  return { active: member.previousActive, standby: member.previousStandby, warmup: member.previousWarmup };
}

/** Who held each task as active, also if gone meanwhile; where two claim one, the live one, else the first. */
export function previousOwners(members: readonly AssignableMember[]): ReadonlyMap<TaskId, AssignableMember> {
  const owners = new Map<TaskId, AssignableMember>();
  for (const member of members) {
    for (const id of member.previousActive) {
      const other = owners.get(id);
      if (other === undefined || (!other.live && member.live)) owners.set(id, member);
    }
  }
  return owners;
}
