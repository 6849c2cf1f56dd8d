/**
 * Where hot standbys are meant to be, given where actives are: each on a member of its own, apart by tags, even, sticky.
 *
 *   T1  as many as the settings ask for, or as there are other members; never beside the active
 *   T2  the copies of a task have as many values of each tag asked for as they can, before anything else
 *   T3  then no chain of moves makes members more even: by standbys, then by all copies, both by capacity
 *   T4  then standbys stay, and members that have a copy anyway (the owner before, a finished warm-up) come before others
 */
import type { MemberState, PlacedTask } from '../cluster.js';
import type { Copies } from './copies.js';
import { evenOutStandbys } from './even-standbys.js';
import { TagSpread } from './tag-spread.js';

/** Adds standbys to what members are meant to hold. */
export function aimAtStandbys(
  tasks: readonly PlacedTask[],
  members: readonly MemberState[],
  copies: Copies,
  replicas: number,
  tags: readonly string[],
): void {
  const activeOn = new Map(members.flatMap((state) => [...state.active].map((task) => [task, state] as const)));
  const wanted = Math.min(replicas, members.length - 1);
  const spread = new TagSpread(members, tags);
  const missing: { readonly task: PlacedTask; readonly on: MemberState[]; count: number }[] = [];
  for (const task of tasks) {
    const active = activeOn.get(task);
    if (active === undefined) continue;
    const on = [active];
    const existing = existingCopies(task, active, copies);
    for (let placed = 0; placed < wanted; placed++) {
      const next = spread.bestNext(on, existing);
      if (next === undefined || !spread.isBest(on, next)) break;
      give(task, next, on);
    }
    if (on.length <= wanted) missing.push({ task, on, count: wanted + 1 - on.length });
  }
  for (const { task, on, count } of missing) {
    for (let placed = 0; placed < count; placed++) {
      const next = spread.bestNext(on, members, isLessLoaded);
      if (next !== undefined) give(task, next, on);
    }
  }
  evenOutStandbys(members, activeOn, copies, spread);
}

function give(task: PlacedTask, state: MemberState, on: MemberState[]): void {
  state.standby.add(task);
  on.push(state);
}

/** Members that have the task's state already: who kept it first, then by lag. */
function existingCopies(task: PlacedTask, active: MemberState, copies: Copies): readonly MemberState[] {
  const others = copies.of(task).filter(({ state }) => state !== active);
  const rank = (state: MemberState): number =>
    (copies.isCaughtUp(state, task) ? 0 : 2) + (copies.kept(state, task) ? 0 : 1);
  return others
    .map(({ state }, order) => ({ state, order }))
    .sort((a, b) => rank(a.state) - rank(b.state) || a.order - b.order)
    .map(({ state }) => state);
}

/** Fewer standbys, then fewer copies of all kinds, both by capacity. */
function isLessLoaded(a: MemberState, b: MemberState): boolean {
  const [left, right] = [a.member.capacity, b.member.capacity];
  const byStandbys = a.standby.size * right - b.standby.size * left;
  return byStandbys !== 0 ? byStandbys < 0 : a.count * right < b.count * left;
}
