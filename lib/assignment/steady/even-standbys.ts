/**
 * Evens standbys out over members: a standby, or a chain of them, goes on from a member with more to one with less.
 *
 * The measure is lexicographic: standbys by capacity, then all copies by capacity. Each chain makes two members more even by it
 * and leaves those between as they were, so it ends; where no chain is left, no choice of standbys for these actives is more
 * even (an optimal flow of convex cost has no augmenting way). Members that have a caught-up copy anyway come first.
 */
import type { MemberState, PlacedTask } from '../cluster.js';
import type { Copies } from './copies.js';
import type { TagSpread } from './tag-spread.js';

interface Step {
  readonly task: PlacedTask;
  readonly from: MemberState;
  readonly to: MemberState;
}

/** Moves standbys until no chain of moves makes members more even. */
export function evenOutStandbys(
  members: readonly MemberState[],
  activeOn: ReadonlyMap<PlacedTask, MemberState>,
  copies: Copies,
  spread: TagSpread,
): void {
  const evening = new Evening(members, activeOn, copies, spread);
  // First what costs nothing: standbys that another member has caught up on anyway.
  for (const isFree of [true, false]) {
    let isDone = false;
    while (!isDone) isDone = !evening.improve(isFree);
  }
}

class Evening {
  private readonly members: readonly MemberState[];
  private readonly activeOn: ReadonlyMap<PlacedTask, MemberState>;
  private readonly copies: Copies;
  private readonly spread: TagSpread;
  private readonly holders = new Map<PlacedTask, MemberState[]>();

  constructor(
    members: readonly MemberState[],
    activeOn: ReadonlyMap<PlacedTask, MemberState>,
    copies: Copies,
    spread: TagSpread,
  ) {
    this.members = members;
    this.activeOn = activeOn;
    this.copies = copies;
    this.spread = spread;
    for (const state of members) {
      for (const task of state.standby) {
        const holders = this.holders.get(task) ?? [];
        this.holders.set(task, holders);
        holders.push(state);
      }
    }
  }

  /**
   * Makes one chain of moves.
   *
   * @param isFree whether only members that are caught up may take standbys
   * @returns whether there was a chain
   */
  improve(isFree: boolean): boolean {
    const byLoad = [...this.members].sort((a, b) => byStandbys(b, a) || byCopies(b, a) || a.index - b.index);
    for (const from of byLoad) {
      if (!this.members.some((to) => isMoreEven(from, to))) continue;
      const chain = this.chainFrom(from, isFree);
      if (chain.length === 0) continue;
      for (const step of chain) this.apply(step);
      return true;
    }
    return false;
  }

  /** The shortest chain from a member to one that it would be more even with; none: there is none. */
  private chainFrom(from: MemberState, isFree: boolean): readonly Step[] {
    const cameBy = new Map<MemberState, Step | undefined>([[from, undefined]]);
    let reached: readonly MemberState[] = [from];
    while (reached.length > 0) {
      const next = reached.flatMap((state) => this.stepsFrom(state, cameBy, isFree));
      const ends = next.filter((step) => isMoreEven(from, step.to));
      const best = ends.reduce<Step | undefined>((first, step) => this.better(first, step), undefined);
      if (best !== undefined) return chainTo(best.to, cameBy);
      reached = next.map(({ to }) => to);
    }
    return [];
  }

  /** One step to each member that no step has led to yet. */
  private stepsFrom(from: MemberState, cameBy: Map<MemberState, Step | undefined>, isFree: boolean): readonly Step[] {
    const steps: Step[] = [];
    for (const to of isFree ? this.readyFor(from) : this.members) {
      if (cameBy.has(to)) continue;
      const task = this.movable(from, to);
      if (task === undefined || (isFree && !this.copies.isCaughtUp(to, task))) continue;
      const step = { task, from, to };
      cameBy.set(to, step);
      steps.push(step);
    }
    return steps;
  }

  /** Members that have a caught-up copy of one of its standbys, in order. */
  private readyFor(from: MemberState): readonly MemberState[] {
    const ready = new Set<MemberState>();
    for (const task of from.standby) {
      for (const { state } of this.copies.of(task)) {
        if (!state.has(task) && this.copies.isCaughtUp(state, task)) ready.add(state);
      }
    }
    return [...ready].sort((a, b) => a.index - b.index);
  }

  /** The standby that may go from one to the other and costs least there; of equals the first. */
  private movable(from: MemberState, to: MemberState): PlacedTask | undefined {
    let best: PlacedTask | undefined;
    let leastLag = Number.POSITIVE_INFINITY;
    for (const task of from.standby) {
      if (to.has(task) || !this.keepsApart(task, from, to)) continue;
      const lag = this.copies.isCaughtUp(to, task) ? -1 : this.copies.lag(to, task);
      if (best !== undefined && (lag > leastLag || (lag === leastLag && task.index > best.index))) continue;
      best = task;
      leastLag = lag;
    }
    return best;
  }

  private keepsApart(task: PlacedTask, from: MemberState, to: MemberState): boolean {
    if (!this.spread.isAsked) return true;
    const active = this.activeOn.get(task);
    const on = [...(active === undefined ? [] : [active]), ...(this.holders.get(task) ?? [])];
    const after = on.map((state) => (state === from ? to : state));
    return this.spread.lossOf(after) <= this.spread.lossOf(on);
  }

  /** The end of a chain that is preferred: a caught-up copy, then who has least. */
  private better(a: Step | undefined, b: Step): Step {
    if (a === undefined) return b;
    const isReady = ({ to, task }: Step): number => (this.copies.isCaughtUp(to, task) ? 0 : 1);
    const order = isReady(a) - isReady(b) || byStandbys(a.to, b.to) || byCopies(a.to, b.to) || a.to.index - b.to.index;
    return order <= 0 ? a : b;
  }

  private apply({ task, from, to }: Step): void {
    from.standby.delete(task);
    to.standby.add(task);
    const holders = this.holders.get(task) ?? [];
    this.holders.set(
      task,
      holders.map((state) => (state === from ? to : state)),
    );
  }
}

function chainTo(end: MemberState, cameBy: ReadonlyMap<MemberState, Step | undefined>): readonly Step[] {
  const chain: Step[] = [];
  for (let step = cameBy.get(end); step !== undefined; step = cameBy.get(step.from)) chain.push(step);
  return chain;
}

/** Whether one standby less here and one more there makes the two more even. */
function isMoreEven(from: MemberState, to: MemberState): boolean {
  const before = from.standby.size * to.member.capacity - (to.standby.size + 1) * from.member.capacity;
  if (before !== 0) return before > 0;
  return from.count * to.member.capacity > (to.count + 1) * from.member.capacity;
}

function byStandbys(a: MemberState, b: MemberState): number {
  return a.standby.size * b.member.capacity - b.standby.size * a.member.capacity;
}

function byCopies(a: MemberState, b: MemberState): number {
  return a.count * b.member.capacity - b.count * a.member.capacity;
}
