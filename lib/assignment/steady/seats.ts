/**
 * How many tasks each member should hold: shares of whole tasks in proportion to capacity, with the fewest moves.
 *
 * Seats are given one by one to the member whose load per unit of capacity stays lowest. That is Jefferson's apportionment,
 * chosen for two properties that rounding of quotas has not:
 *   S1  no move improves it: for all members i, j: seats_i / capacity_i ≤ (seats_j + 1) / capacity_j; with equal capacities
 *       no two members differ by more than one
 *   S2  it may be continued: seats for stateless tasks on top of those for stateful ones keep S1 for the sums as well
 * Members tie only over seats of one load. Of different capacities the smaller one comes first, which leaves the least loaded
 * one with most; of one capacity those who hold a task for the seat, so
 *   S3  with equal capacities no other seats that satisfy S1 make fewer held tasks lose theirs
 * Then come those with copies of tasks that nobody holds, caught-up ones first. Of those still equal the one that holds least of all
 * kinds comes first, so that what it has to give up or may take of the next kind mostly fits its share.
 */
import { Heap } from '../high-availability/heap.js';

export interface SeatSeeker {
  readonly capacity: number;
  /** Tasks of the kind being seated that it holds now. */
  readonly held: number;
  /** Tasks of the kind that nobody holds and of which it has a caught-up copy. */
  readonly copies: number;
  /** The same with copies that are not caught up. */
  readonly copiesBehind: number;
  /** Tasks of all kinds that it holds now. */
  readonly heldOfAll: number;
  /** Seats it has already, of other kinds. */
  readonly taken: number;
}

/**
 * Seats for `count` tasks.
 *
 * @param seekers in the order that breaks the last ties; at least one unless `count` is 0
 * @returns new seats per seeker, in the same order, `taken` not included
 */
export function shareSeats(count: number, seekers: readonly SeatSeeker[]): number[] {
  const seats = seekers.map(() => 0);
  // A seat changes the rank of nobody but who gets it, who is out of the heap meanwhile.
  const next = new Heap<number>((a, b) =>
    comesBefore(a, b, seekers, seats) ? -1 : comesBefore(b, a, seekers, seats) ? 1 : a - b,
  );
  for (const index of seekers.keys()) next.push(index);
  for (let given = 0; given < count; given++) {
    const index = next.pop();
    if (index === undefined) break;
    seats[index] = (seats[index] ?? 0) + 1;
    next.push(index);
  }
  return seats;
}

function comesBefore(a: number, b: number, seekers: readonly SeatSeeker[], seats: readonly number[]): boolean {
  const left = seekers[a];
  const right = seekers[b];
  if (left === undefined || right === undefined) return false;
  const seatsLeft = seats[a] ?? 0;
  const seatsRight = seats[b] ?? 0;
  // (taken + seats + 1) / capacity, compared without division
  const load = (left.taken + seatsLeft + 1) * right.capacity - (right.taken + seatsRight + 1) * left.capacity;
  if (load !== 0) return load < 0;
  const least = (left.taken + seatsLeft) * right.capacity - (right.taken + seatsRight) * left.capacity;
  if (least !== 0) return least < 0;
  const holdsLeft = left.held > seatsLeft;
  if (holdsLeft !== right.held > seatsRight) return holdsLeft;
  const reachLeft = left.held + left.copies > seatsLeft;
  if (reachLeft !== right.held + right.copies > seatsRight) return reachLeft;
  const nearLeft = left.held + left.copies + left.copiesBehind > seatsLeft;
  if (nearLeft !== right.held + right.copies + right.copiesBehind > seatsRight) return nearLeft;
  return left.heldOfAll * right.capacity < right.heldOfAll * left.capacity;
}
