/**
 * Slots that an operator has drained: a mark in the slot's item, which the scheduler obeys. Pure.
 *
 *   D1  a marked slot is not wanted: nothing is placed on it, and nobody is invoked for it, until the mark is taken away. No claim, end or
 *       death loses the mark; deleting the slot, which only a person does to a marked one, would
 *   D2  as long as as many members are wanted as when a slot was marked, or more, there is one less of them for each mark. With
 *       fewer wanted the marked ones are those that went: 3 members, member-2 drained, then 2 wanted, are member-1 and member-3.
 *       Where the scheduler decides how many there are, by load, it has counted without the marked ones already
 *   D3  one slot stays wanted, however many are marked: a new one, if need be
 *   D4  the item of a marked slot stays until the mark is taken away: of schedulers that want different numbers one could delete it
 *       while another still goes by it (seed 756 of the simulation)
 */
import type { Conditional } from './lease-store.js';
import type { SlotItem } from './member-transitions.js';
import type { DrainMark, Member, MemberId } from './records.js';
import { FIRST_SLOT, memberId } from './slots.js';

/** How long tasks with stores stay with a slot that is to leave, for want of copies elsewhere, unless an operator says otherwise. */
export const WARM_PATIENCE_MS = 600_000;

type Marked = Pick<Member, 'memberId' | 'drain'>;

/**
 * The slots that are wanted, by number (D1 to D3).
 *
 * @param members how many are wanted; of those that an operator wants drained ones are some
 * @param isElastic whether the scheduler has decided that
 */
export function wantedSlots(members: number, slots: readonly Marked[], isElastic = false): readonly MemberId[] {
  const marks = slots.flatMap(({ memberId: id, drain }) => (drain === undefined ? [] : [{ id, ...drain }]));
  const marked = new Set<MemberId>(marks.map(({ id }) => id));
  const before = marks.reduce((most, { wantedBefore }) => Math.max(most, wantedBefore), 0);
  const fewer = members >= before ? members - marks.length : Math.min(members, before - marks.length);
  const left = isElastic ? members : fewer;
  const wanted: MemberId[] = [];
  // Ends: each round either finds one of those wanted or passes one of the marked.
  for (let slot = FIRST_SLOT; wanted.length < Math.max(Math.min(1, members), left); slot += 1)
    if (!marked.has(memberId(slot))) wanted.push(memberId(slot));
  return wanted;
}

/** The slots that are marked. */
export function drainedSlots(slots: readonly Marked[]): ReadonlySet<MemberId> {
  return new Set(slots.filter(({ drain }) => drain !== undefined).map(({ memberId: id }) => id));
}

/** Marks a slot, or takes its mark away (null). Condition: there is such a slot. */
export function stepDrainMark(before: SlotItem | null, drain: DrainMark | null): Conditional<Member> {
  if (before === null || before.status === 'retired') return { applied: false, item: null };
  const { drain: _, ...unmarked } = before;
  return { applied: true, item: drain === null ? unmarked : { ...unmarked, drain } };
}
