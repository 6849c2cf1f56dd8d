/** Evens out what members were given by their capacities. Kafka: `balanceTasksOverThreads`. */
import { inOrder, type MemberState, type PlacedTask } from '../cluster.js';

/** The tasks of one kind that a member has been given. */
export type KindOf = (member: MemberState) => Set<PlacedTask>;

/**
 * Moves tasks of one kind from member to member as long as a move makes two members more even.
 *
 * It ends: each move lowers the sum over all members of load² × capacity.
 *
 * @param allows whether tasks of this kind may go from one member to the other at all
 */
export function balance(
  members: readonly MemberState[],
  kindOf: KindOf,
  allows: (from: MemberState, to: MemberState) => boolean = () => true,
): void {
  let hasMoved = true;
  while (hasMoved) {
    hasMoved = false;
    for (const from of members) {
      for (const to of members) {
        if (from !== to && isWorthAMove(from, to) && allows(from, to) && even(from, to, kindOf)) hasMoved = true;
      }
    }
  }
}

function even(from: MemberState, to: MemberState, kindOf: KindOf): boolean {
  let hasMoved = false;
  for (const task of inOrder(kindOf(from))) {
    if (!isWorthAMove(from, to)) break;
    if (to.has(task)) continue;
    kindOf(from).delete(task);
    kindOf(to).add(task);
    hasMoved = true;
  }
  return hasMoved;
}

function isWorthAMove(from: MemberState, to: MemberState): boolean {
  const skew = from.load - to.load;
  if (skew <= 0) return false;
  const skewAfter = (from.count - 1) / from.member.capacity - (to.count + 1) / to.member.capacity;
  return skewAfter >= 0 && skewAfter < skew;
}
