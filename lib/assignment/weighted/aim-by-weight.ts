/**
 * Where active tasks are meant to be by what they weigh.
 *
 *   H1  a task stays with its owner, unless that carries more than its share by `TOLERANCE` or more
 *   H2  tasks without an owner go, heaviest first, to caught-up copies that have room, else to who carries least by capacity
 *   H3  who carries too much gives tasks away one by one, each to who carries least, as long as one makes the heavier of the two
 *       lighter by `WORTH` of a share at least; of those that fit the one that leaves both most even, caught-up copies first
 *
 * The band between H1 and H3 is the hysteresis: weights that swing within it move nothing, and what has moved has no reason to
 * come back. KCL 3: `reBalanceThresholdPercentage` (10) and `dampeningPercentage`.
 */
import type { MemberState, PlacedTask } from '../cluster.js';
import { holderOf } from '../steady/aim-actives.js';
import type { Copies } from '../steady/copies.js';
import { bounded } from './task-weight.js';

/** By how much of its share a member may carry more before it gives anything away. */
const TOLERANCE = 0.1;
/** By how much of a share a move has to help to be made. */
const WORTH = 0.05;

/** Adds tasks of one kind to what members are meant to run; only they are given away. */
export function aimByWeight(tasks: readonly PlacedTask[], members: readonly MemberState[], copies: Copies): void {
  const aim = new WeightAim(tasks, members, copies);
  const orphans: PlacedTask[] = [];
  for (const task of tasks) {
    const holder = holderOf(task, copies);
    if (holder === undefined) orphans.push(task);
    else aim.take(task, holder);
  }
  for (const task of orphans.sort((a, b) => weightOf(b) - weightOf(a) || a.index - b.index)) aim.adopt(task);
  // Each move lowers the sum of squares of loads by a fixed part of a share, so this ends long before.
  let left = tasks.length * members.length;
  while (left > 0 && aim.lighten()) left -= 1;
}

function sumOf(tasks: Iterable<PlacedTask>): number {
  let sum = 0;
  for (const task of tasks) sum += weightOf(task);
  return sum;
}

function weightOf({ task }: PlacedTask): number {
  return bounded(task.weight);
}

class WeightAim {
  /** Weight per capacity if all carried the same. */
  private readonly share: number;
  private readonly tasks: ReadonlySet<PlacedTask>;
  private readonly members: readonly MemberState[];
  private readonly copies: Copies;
  private readonly weights: number[];

  constructor(tasks: readonly PlacedTask[], members: readonly MemberState[], copies: Copies) {
    this.tasks = new Set(tasks);
    this.members = members;
    this.copies = copies;
    this.weights = members.map(({ active }) => sumOf(active));
    const capacity = members.reduce((sum, { member }) => sum + member.capacity, 0);
    this.share = (this.weights.reduce((sum, weight) => sum + weight, 0) + sumOf(tasks)) / capacity;
  }

  take(task: PlacedTask, to: MemberState): void {
    to.active.add(task);
    this.weights[to.index] = this.weightOn(to) + weightOf(task);
  }

  /** H2. */
  adopt(task: PlacedTask): void {
    const limit = this.share * (1 + TOLERANCE);
    const ready = this.copies
      .of(task)
      .filter(({ state }) => this.copies.isCaughtUp(state, task) && this.loadWith(state, task) <= limit);
    const to = ready[0]?.state ?? this.lightest(task);
    if (to !== undefined) this.take(task, to);
  }

  /** H3. @returns whether a task was given away */
  lighten(): boolean {
    const heavy = this.members
      .filter((state) => this.load(state) > this.share * (1 + TOLERANCE))
      .sort((a, b) => this.load(b) - this.load(a) || a.index - b.index);
    const byLoad = [...this.members].sort((a, b) => this.load(a) - this.load(b) || a.index - b.index);
    for (const from of heavy) {
      const [lightest] = byLoad;
      if (lightest === undefined) return false;
      const best = this.bestMove(from, [lightest]) ?? this.bestMove(from, byLoad);
      if (best === undefined) continue;
      from.active.delete(best.task);
      this.weights[from.index] = this.weightOn(from) - weightOf(best.task);
      this.take(best.task, best.to);
      return true;
    }
    return false;
  }

  private bestMove(
    from: MemberState,
    to: readonly MemberState[],
  ): { readonly task: PlacedTask; readonly to: MemberState } | undefined {
    let best: { task: PlacedTask; to: MemberState; peak: number; isReady: boolean } | undefined;
    const before = this.load(from);
    for (const state of to) {
      if (state === from || this.load(state) >= before) continue;
      for (const task of from.active) {
        if (!this.tasks.has(task)) continue;
        const left = (this.weightOn(from) - weightOf(task)) / from.member.capacity;
        const peak = Math.max(left, this.loadWith(state, task));
        if (before - peak < this.share * WORTH) continue;
        const isReady = this.copies.isCaughtUp(state, task);
        const isBetter =
          best === undefined ||
          (isReady !== best.isReady
            ? isReady
            : peak < best.peak || (peak === best.peak && task.index < best.task.index));
        if (isBetter) best = { task, to: state, peak, isReady };
      }
    }
    return best;
  }

  private lightest(task: PlacedTask): MemberState | undefined {
    let best: MemberState | undefined;
    for (const state of this.members) {
      if (best === undefined || this.loadWith(state, task) < this.loadWith(best, task)) best = state;
    }
    return best;
  }

  private load(state: MemberState): number {
    return this.weightOn(state) / state.member.capacity;
  }

  private loadWith(state: MemberState, task: PlacedTask): number {
    return (this.weightOn(state) + weightOf(task)) / state.member.capacity;
  }

  private weightOn({ index }: MemberState): number {
    return this.weights[index] ?? 0;
  }
}
