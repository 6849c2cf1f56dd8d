/** Slots by name and number, and which one an invocation claims. */
import type { TaskId } from '../model/task-id.js';
import type { Incarnation, Member, MemberId, Plan, StorePosition } from './records.js';
import { isGrantedTo } from './rules.js';

/** The number of the first slot: `member-1`. */
export const FIRST_SLOT = 1;

/** The name of slot `slot`. */
export function memberId(slot: number): MemberId {
  return `member-${slot}`;
}

/** The number of a slot. */
export function slotNumber(id: MemberId): number {
  return Number(id.slice('member-'.length));
}

/** Orders slots by number: `member-9` before `member-10`. */
export function compareMemberIds(a: MemberId, b: MemberId): number {
  return slotNumber(a) - slotNumber(b);
}

/** The first slot from `member-1` up that has no item: what a doorbell creates where there is no member. */
export function lowestUnusedSlot(members: readonly Member[]): MemberId {
  const used = new Set<string>(members.map((member) => member.memberId));
  let slot = FIRST_SLOT;
  while (used.has(memberId(slot))) slot += 1; // ends: each round meets another member
  return memberId(slot);
}

/**
 * The slot that an invocation claims, with the incarnation to claim; null: there is none, and the invocation ends at once
 * (a duplicate or late event).
 *
 * First the free slot whose tasks' stores this execution environment still holds: the one of which it holds most (of equals,
 * the lowest). Else the slot that it was invoked for, if that waits for exactly this incarnation; it may still be draining.
 */
export function chooseSlot(question: {
  readonly members: readonly Member[];
  readonly plan: Plan | null;
  readonly invokedFor: Incarnation | null;
  /** Stores found in memory or on disk. */
  readonly held: readonly StorePosition[];
}): Incarnation | null {
  const { members, plan, invokedFor, held } = question;
  const own = members.find((member) => member.memberId === invokedFor?.memberId);
  const isOwnOpen =
    own !== undefined && own.status !== 'claimed' && own.incarnation + 1 === (invokedFor?.incarnation ?? -1);
  const best = bestByStores(members, plan, held, isOwnOpen ? own : null);
  if (best !== null) return next(best);
  return isOwnOpen ? next(own) : null;
}

function next(member: Member): Incarnation {
  return { memberId: member.memberId, incarnation: member.incarnation + 1 };
}

function bestByStores(
  members: readonly Member[],
  plan: Plan | null,
  held: readonly StorePosition[],
  invokedFor: Member | null,
): Member | null {
  if (plan === null || held.length === 0) return null;
  const taskIds = new Set<TaskId>(held.map((position) => position.taskId));
  let best: Member | null = null;
  let most = 0;
  for (const member of [...members].sort((a, b) => compareMemberIds(a.memberId, b.memberId))) {
    // A draining slot has a successor on its way: nobody else may take its place.
    const isFree = member.status === 'free' || member.status === 'dead' || member === invokedFor;
    if (!isFree) continue;
    const count = [...taskIds].filter((taskId) => isGrantedTo(plan, taskId, member.memberId)).length;
    if (count > most) {
      best = member;
      most = count;
    }
  }
  return best;
}
