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

/** The slots that a plan wants, by number: those that it lists, without those that are leaving. */
export function slotsWantedBy({ assignment, leaving }: Pick<Plan, 'assignment' | 'leaving'>): readonly MemberId[] {
  const listed = Object.keys(assignment) as MemberId[];
  return listed.filter((id) => leaving?.[id] === undefined).sort(compareMemberIds);
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
 * It is one of those that were asked for and still wait for exactly the incarnation asked for: first the one whose tasks' stores
 * this execution environment still holds (of several, the one of which it holds most; of equals, the first asked for), else the
 * first, which it was invoked for itself; that one may still be draining. A slot that nobody asked for sleeps, and is left alone:
 * to claim it would leave the work for which somebody was invoked.
 *
 * @param question.asked the slot that it was invoked for, and those that others were invoked for at the same moment
 * @param question.held stores found in memory or on disk
 */
export function chooseSlot(question: {
  readonly members: readonly Member[];
  readonly plan: Plan | null;
  readonly asked: readonly Incarnation[];
  readonly held: readonly StorePosition[];
}): Incarnation | null {
  const { members, plan, asked, held } = question;
  const taskIds = new Set<TaskId>(held.map((position) => position.taskId));
  const countHeld = ({ memberId }: Incarnation): number =>
    plan === null ? 0 : [...taskIds].filter((taskId) => isGrantedTo(plan, taskId, memberId)).length;
  const [best = null] = asked
    .filter((slot) => members.some((member) => waitsFor(member, slot)))
    .sort((a, b) => countHeld(b) - countHeld(a));
  return best;
}

function waitsFor(member: Member, { memberId, incarnation }: Incarnation): boolean {
  return member.memberId === memberId && member.status !== 'claimed' && member.incarnation + 1 === incarnation;
}
