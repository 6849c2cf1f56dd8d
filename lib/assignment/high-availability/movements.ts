/**
 * From the placement that is aimed at to one that can be had now: no active or standby where a copy lacks more than another
 * that could serve, and warm-ups, as many as allowed, on the way there. Kafka: `TaskMovement`, KIP-441.
 */

import { inOrder, type MemberState, type PlacedTask } from '../cluster.js';
import type { CaughtUp } from './caught-up.js';
import { Heap } from './heap.js';

/** Warm-ups that may still be placed; the steps take from one count. */
export interface WarmupAllowance {
  left: number;
}

interface Movement {
  readonly task: PlacedTask;
  /** Where the task is meant to be. */
  readonly destination: MemberState;
}

/**
 * Hands each active task whose destination is behind to a caught-up standby, else to the least loaded caught-up member, else
 * to the one that lacks least.
 *
 * @returns actives that are not where they are meant to be
 */
export function moveActives(members: readonly MemberState[], caughtUp: CaughtUp, allowance: WarmupAllowance): number {
  const movements = movementsOf(members, caughtUp, (state) => state.active);
  for (const { task, destination } of movements) {
    const source =
      leastLoaded(caughtUp.of(task), (state) => state.standby.has(task)) ??
      leastLoaded(caughtUp.of(task)) ??
      caughtUp.mostCaughtUp(task, destination);
    if (source === undefined) continue; // never: what is behind is behind somebody
    destination.active.delete(task);
    if (source.standby.delete(task)) {
      destination.standby.add(task);
    } else if (allowance.left > 0) {
      allowance.left -= 1;
      destination.standby.add(task);
      destination.warmup.add(task);
    }
    source.active.add(task);
  }
  return movements.length;
}

/**
 * The same for standbys, warm-ups aside. One that no other member can hold stays where it is.
 *
 * @returns standbys that are not where they are meant to be
 */
export function moveStandbys(members: readonly MemberState[], caughtUp: CaughtUp, allowance: WarmupAllowance): number {
  let moved = 0;
  for (const { task, destination } of movementsOf(members, caughtUp, standbysOnly)) {
    const isFree = (state: MemberState): boolean => !state.has(task);
    const source = leastLoaded(caughtUp.of(task), isFree) ?? caughtUp.mostCaughtUp(task, destination, isFree);
    if (source === undefined) continue;
    source.standby.add(task);
    if (allowance.left > 0) {
      allowance.left -= 1;
      destination.warmup.add(task);
    } else {
      destination.standby.delete(task);
    }
    moved += 1;
  }
  return moved;
}

/** Those whose destination is behind: tasks with fewest caught-up members first, who have least choice. */
function movementsOf(
  members: readonly MemberState[],
  caughtUp: CaughtUp,
  tasksOf: (state: MemberState) => Iterable<PlacedTask>,
): readonly Movement[] {
  const choice = ({ task }: Movement): number => caughtUp.of(task).size;
  const queue = new Heap<Movement>((a, b) => choice(a) - choice(b) || a.task.index - b.task.index);
  for (const destination of members) {
    for (const task of inOrder(tasksOf(destination))) {
      if (caughtUp.isBehind(destination, task)) queue.push({ task, destination });
    }
  }
  const movements: Movement[] = [];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) movements.push(next);
  return movements;
}

function standbysOnly(state: MemberState): PlacedTask[] {
  return [...state.standby].filter((task) => !state.warmup.has(task));
}

function leastLoaded(
  states: Iterable<MemberState>,
  accepts: (state: MemberState) => boolean = () => true,
): MemberState | undefined {
  let least: MemberState | undefined;
  for (const state of states) {
    if (!accepts(state)) continue;
    if (least === undefined || (state.load - least.load || state.index - least.index) < 0) least = state;
  }
  return least;
}
