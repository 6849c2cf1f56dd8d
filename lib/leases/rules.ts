/**
 * Who may take which lease (P5). Pure: callers read the plan, the lease and the members, ask here, then make the conditional
 * write with the lease they have read as `expected`; a write refused means the question has to be asked again.
 *
 * Numbered rules
 *   R1  a member takes only what the newest plan that it has read grants it as active
 *   R2  what it takes is free, or held by an earlier incarnation of its own slot, or held by an incarnation declared dead
 *   R3  an owner may take its own lease once more: fenced although it is the owner, it needs a new epoch before it
 *       initialises its producer again
 *   R4  a doorbell takes only what is free and not granted to a live member
 *   R5  under a plan with a rest nobody takes anything but, by R3, what is its own
 */
import { greatest } from '../model/lists.js';
import type { TaskId } from '../model/task-id.js';
import { isSameIncarnation } from './lease-transitions.js';
import type { Incarnation, Lease, Member, MemberId, Plan } from './records.js';

/** Why a lease may be taken, or why not. */
export type TakeDecision =
  | { readonly may: true; readonly because: 'free' | 'own' | 'own-slot' | 'dead' }
  | { readonly may: false; readonly because: 'not-granted' | 'held' | 'granted-to-live-member' | 'at-rest' };

export interface TakeQuestion {
  /** The newest plan that the asker has read; null before the first. */
  readonly plan: Plan | null;
  readonly taskId: TaskId;
  /** The lease as read; null if there is no item. */
  readonly lease: Lease | null;
}

/** Whether a member may take the lease of a task: R1 to R3. */
export function mayTake(question: TakeQuestion & { readonly self: Incarnation }): TakeDecision {
  const { plan, taskId, lease, self } = question;
  if (plan === null || !isGrantedTo(plan, taskId, self.memberId)) return { may: false, because: 'not-granted' };
  const owner = lease?.owner ?? null;
  if (owner === null) return { may: true, because: 'free' };
  if (isSameIncarnation(owner, self)) return { may: true, because: 'own' };
  if (owner.memberId === self.memberId && owner.incarnation < self.incarnation)
    return { may: true, because: 'own-slot' };
  return isDeclaredDead(plan, owner) ? { may: true, because: 'dead' } : { may: false, because: 'held' };
}

/** Whether an invocation that a doorbell woke may take the lease of a task: R4, R5. */
export function mayTakeForDoorbell(question: TakeQuestion & { readonly members: readonly Member[] }): TakeDecision {
  const { plan, taskId, lease, members } = question;
  if (plan?.rest !== undefined) return { may: false, because: 'at-rest' };
  if (lease !== null && lease.owner !== null) return { may: false, because: 'held' };
  const grantedToLive = members.some(
    (member) => plan !== null && isLive(member, plan) && isGrantedTo(plan, taskId, member.memberId),
  );
  return grantedToLive ? { may: false, because: 'granted-to-live-member' } : { may: true, because: 'free' };
}

/** Whether the plan wants this member to run the task. */
export function isGrantedTo(plan: Plan, taskId: TaskId, memberId: Incarnation['memberId']): boolean {
  return plan.assignment[memberId]?.active.includes(taskId) ?? false;
}

/**
 * Whether the plan says that an incarnation is dead. A dead one takes the earlier ones of its slot along: they had ended
 * before it was claimed (P1).
 */
export function isDeclaredDead(plan: Plan, owner: Incarnation): boolean {
  return plan.dead.some((dead) => dead.memberId === owner.memberId && owner.incarnation <= dead.incarnation);
}

/**
 * The last incarnation of a slot that leases or a plan still name; 0 if none does. Where the item of a slot was deleted by
 * hand, its next incarnation has to come after that one, or it could not take its own leases (R2).
 */
export function lastIncarnation(memberId: MemberId, leases: readonly Lease[], plan: Plan | null): number {
  const named = [...leases.map(({ owner }) => owner), ...(plan?.dead ?? [])];
  const own = named.filter((one) => one?.memberId === memberId);
  return greatest(
    0,
    own.map((one) => one?.incarnation ?? 0),
  );
}

/**
 * Leases whose owner has ended without a release: its slot is deleted, free, dead or claimed by a later incarnation. A plan
 * that grants such a task to another slot must name the owner in `dead`, or nobody could ever take it (R2).
 */
export function leasesWithoutLiveOwner(leases: readonly Lease[], members: readonly Member[]): readonly Lease[] {
  return leases.filter(({ owner }) => owner !== null && !members.some((member) => isRunning(member, owner)));
}

function isRunning(member: Member, owner: Incarnation): boolean {
  return isSameIncarnation(member, owner) && isRun(member);
}

/** Whether an incarnation runs the slot, as far as the table knows: one that hands over runs it still. */
export function isRun({ status }: Pick<Member, 'status'>): boolean {
  return status === 'claimed' || status === 'draining';
}

function isLive(member: Member, plan: Plan): boolean {
  return isRunning(member, member) && !isDeclaredDead(plan, member);
}
