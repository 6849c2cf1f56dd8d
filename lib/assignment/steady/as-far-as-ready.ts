/**
 * From where tasks are meant to be to where they can be now. KIP-441, Kafka: `TaskMovement`.
 *
 *   W1  a task goes on only to a member that is caught up; until then it stays with its owner, or goes to the caught-up copy with
 *       least to do, or, if there is none, to whoever lacks least
 *   W2  whom it is meant for gets a warm-up meanwhile, or is its standby where one is missing anyway
 *   W3  a standby stays where it is until the one that is to replace it is caught up
 *   W4  warm-ups are at most so many in all: for actives first, those that are under way before others, least lag first
 */
import type { Cluster, MemberState, PlacedTask } from '../cluster.js';
import { holderOf } from './aim-actives.js';
import type { Copies } from './copies.js';

/** A copy that has to catch up before something can move. */
interface Waiting {
  readonly task: PlacedTask;
  readonly on: MemberState;
}

/**
 * Replaces what stateful tasks' members are meant to hold by what they can hold now.
 *
 * @param replicas standbys of each task on members
 * @returns whether anything waits
 */
export function placeAsFarAsReady(cluster: Cluster, copies: Copies, replicas: number, maxWarmups: number): boolean {
  const step = new Step(cluster, copies, replicas);
  step.place();
  return step.warmUp(maxWarmups);
}

class Step {
  private readonly copies: Copies;
  private readonly replicas: number;
  private readonly aims = new Map<PlacedTask, { active: MemberState | undefined; readonly standbys: MemberState[] }>();
  private readonly actives: Waiting[] = [];
  private readonly standbys: Waiting[] = [];
  private isWaiting = false;

  constructor(cluster: Cluster, copies: Copies, replicas: number) {
    this.copies = copies;
    this.replicas = replicas;
    for (const task of cluster.stateful) this.aims.set(task, { active: undefined, standbys: [] });
    for (const state of cluster.members) {
      for (const task of state.active) {
        const aim = this.aims.get(task);
        if (aim !== undefined) aim.active = state;
      }
      for (const task of state.standby) this.aims.get(task)?.standbys.push(state);
    }
  }

  place(): void {
    for (const [task, { active: aim, standbys }] of this.aims) {
      if (aim === undefined) continue;
      const now = this.nowActive(task, aim);
      if (now !== aim) {
        aim.active.delete(task);
        now.active.add(task);
        this.isWaiting = true;
      }
      for (const state of standbys) state.standby.delete(task);
      const copies = this.nowStandbys(task, now, aim, standbys);
      for (const state of copies) state.standby.add(task);
      if (now !== aim && !copies.includes(aim)) this.actives.push({ task, on: aim });
    }
  }

  warmUp(maxWarmups: number): boolean {
    let left = maxWarmups;
    for (const { task, on } of [...this.inOrder(this.actives), ...this.inOrder(this.standbys)]) {
      if (left === 0) break;
      if (on.has(task)) continue;
      left -= 1;
      on.standby.add(task);
      on.warmup.add(task);
    }
    return this.isWaiting;
  }

  /** W1. */
  private nowActive(task: PlacedTask, aim: MemberState): MemberState {
    if (this.copies.isCaughtUp(aim, task)) return aim;
    const ready = this.copies.of(task).filter(({ state }) => this.copies.isCaughtUp(state, task));
    const holder = holderOf(task, this.copies);
    if (holder !== undefined && (ready.length === 0 || ready.some(({ state }) => state === holder))) {
      const least = this.copies.of(task)[0];
      const isLeast = least === undefined || this.copies.lag(holder, task) <= least.lag;
      return ready.length > 0 || isLeast ? holder : least.state;
    }
    const standby = ready.filter(({ state }) => this.copies.kept(state, task));
    const candidates = (standby.length > 0 ? standby : ready).map(({ state }) => state);
    const [first] = candidates;
    if (first !== undefined) return candidates.reduce((a, b) => (b.activeLoad < a.activeLoad ? b : a), first);
    const least = this.copies.of(task)[0];
    return least !== undefined && least.lag < this.copies.lag(aim, task) ? least.state : aim;
  }

  /** W2, W3. */
  private nowStandbys(
    task: PlacedTask,
    now: MemberState,
    aim: MemberState,
    standbys: readonly MemberState[],
  ): readonly MemberState[] {
    const replaceable = this.replaceable(task, now, standbys);
    const on: MemberState[] = [];
    for (const state of standbys) {
      if (state === now) continue; // its place is free until the task has moved
      const lag = this.copies.lag(state, task);
      const isReady = this.copies.isCaughtUp(state, task) || this.copies.kept(state, task);
      const other = isReady ? undefined : replaceable.find((one) => this.copies.lag(one, task) < lag);
      on.push(other ?? state);
      if (other === undefined) continue;
      replaceable.splice(replaceable.indexOf(other), 1);
      this.standbys.push({ task, on: state });
      this.isWaiting = true;
    }
    const spare = now === aim ? [] : [...replaceable.filter((state) => state !== aim), aim];
    for (const state of spare) if (on.length < Math.min(this.replicas, standbys.length)) on.push(state);
    return on;
  }

  /** Members that kept a copy and are not to have one any more, least lag first. */
  private replaceable(task: PlacedTask, now: MemberState, standbys: readonly MemberState[]): MemberState[] {
    return this.copies
      .of(task)
      .map(({ state }) => state)
      .filter((state) => state !== now && !standbys.includes(state) && this.copies.kept(state, task));
  }

  private inOrder(waiting: readonly Waiting[]): readonly Waiting[] {
    const ranked = waiting.map((one) => ({
      ...one,
      isUnderWay: this.copies.kept(one.on, one.task),
      lag: this.copies.lag(one.on, one.task),
    }));
    return ranked.sort(
      (a, b) =>
        Number(b.isUnderWay) - Number(a.isUnderWay) ||
        (a.lag < b.lag ? -1 : a.lag > b.lag ? 1 : 0) ||
        a.task.index - b.task.index ||
        a.on.index - b.on.index,
    );
  }
}
