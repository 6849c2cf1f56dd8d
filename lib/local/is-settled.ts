import type { Lease, Member, Plan } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';
import type { TaskState } from '../topology/listeners.js';

/** What the tables say, and what the members of this process tell of their tasks. */
export interface Sight {
  readonly plan: Plan | null;
  readonly leases: readonly Lease[];
  readonly members: readonly Member[];
  /** By task; null: members run elsewhere, and their leases have to do. */
  readonly states: ReadonlyMap<TaskId, TaskState> | null;
}

/** States of a task that its holder has ready, or gives up because there is no work. */
const SETTLED: ReadonlySet<TaskState | undefined> = new Set<TaskState>(['running', 'closing']);

/**
 * Whether nothing is on its way: each task of the newest plan runs at the slot that it is granted to, or was released there by a member
 * that has ended for want of work. Pure.
 */
export function isSettled({ plan, leases, members, states }: Sight): boolean {
  if (plan === null) return false;
  const leaseOf = new Map(leases.map((lease) => [lease.taskId, lease]));
  const memberOf = new Map(members.map((member) => [member.memberId, member]));
  return Object.entries(plan.assignment).every(([slot, { active }]) =>
    active.every((taskId) => {
      const owner = leaseOf.get(taskId)?.owner;
      const member = memberOf.get(slot as Member['memberId']);
      if (owner === undefined || member === undefined) return false;
      if (owner === null) return member.status === 'free';
      const isHere = owner.memberId === slot && owner.incarnation === member.incarnation && member.status === 'claimed';
      return isHere && (states === null || SETTLED.has(states.get(taskId)));
    }),
  );
}
