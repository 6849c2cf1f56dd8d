/**
 * What is placed while nobody knows how far copies lack behind: every task stays with its previous owner, the others go where
 * copies were, standbys likewise. Kafka: `FallbackPriorTaskAssignor`, which is the sticky assignor of before KIP-441.
 */
import type { TaskId } from '../../model/task-id.js';
import type { Cluster, MemberState, PlacedTask } from '../cluster.js';
import { orderOfCopiedTable } from './hash-order.js';
import { TaskPairs } from './task-pairs.js';

/** Places all tasks and up to `replicas` standbys of each stateful one. */
export function placeAsBefore(cluster: Cluster, replicas: number): void {
  const prior = new Prior(cluster);
  prior.placeActives();
  prior.placeStandbys(replicas);
}

class Prior {
  private readonly cluster: Cluster;
  private readonly pairs: TaskPairs;
  private readonly activeOn = new Map<TaskId, MemberState>();
  private readonly standbyOn = new Map<TaskId, MemberState[]>();

  constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.pairs = new TaskPairs(cluster.tasks.length);
    for (const state of cluster.members) {
      const { previousActive, previousStandby, previousWarmup } = state.member;
      for (const id of previousActive) this.activeOn.set(id, state);
      for (const id of new Set([...previousStandby, ...previousWarmup])) {
        this.standbyOn.set(id, [...(this.standbyOn.get(id) ?? []), state]);
      }
    }
  }

  placeActives(): void {
    const { members, tasks } = this.cluster;
    const capacity = members.reduce((sum, { member }) => sum + member.capacity, 0);
    const perCapacity = Math.floor(tasks.length / capacity);
    const left = new Set(tasks);
    for (const task of tasks) {
      const owner = this.activeOn.get(task.task.id);
      if (owner !== undefined) this.give(task, owner, owner.active, left);
    }
    for (const task of orderOfCopiedTable(tasks).filter((one) => left.has(one))) {
      const copies = this.standbyOn.get(task.task.id) ?? [];
      const owner = copies.find((state) => state.active.size < state.member.capacity * perCapacity);
      if (owner !== undefined) this.give(task, owner, owner.active, left);
    }
    for (const task of left) {
      const owner = this.memberFor(task, members);
      if (owner !== undefined) this.give(task, owner, owner.active, left);
    }
  }

  placeStandbys(replicas: number): void {
    for (const task of this.cluster.stateful) {
      for (let placed = 0; placed < replicas; placed++) {
        const free = this.cluster.members.filter((state) => !state.has(task));
        const state = this.memberFor(task, free);
        if (state === undefined) break;
        this.give(task, state, state.standby);
      }
    }
  }

  private give(task: PlacedTask, state: MemberState, kind: Set<PlacedTask>, left?: Set<PlacedTask>): void {
    this.pairs.add(task, state);
    kind.add(task);
    left?.delete(task);
  }

  /** The least loaded copy if that is not overloaded, else the least loaded of all. The previous owner has its task already. */
  private memberFor(task: PlacedTask, among: readonly MemberState[]): MemberState | undefined {
    if (among.length <= 1) return among[0];
    const copies = (this.standbyOn.get(task.task.id) ?? []).filter((state) => among.includes(state));
    const copy = this.leastLoaded(task, copies);
    return copy !== undefined && !this.isOverloaded(copy) ? copy : this.leastLoaded(task, among);
  }

  private isOverloaded(state: MemberState): boolean {
    return state.count >= state.member.capacity && this.cluster.members.some((other) => hasMoreRoom(other, state));
  }

  /** The least loaded; rather one where the task meets others that it has not been together with. */
  private leastLoaded(task: PlacedTask, among: readonly MemberState[]): MemberState | undefined {
    const brings = (state: MemberState): boolean => this.pairs.isNew(task, state);
    return leastLoadedOf(among, brings) ?? leastLoadedOf(among, () => true);
  }
}

function leastLoadedOf(
  among: readonly MemberState[],
  accepts: (state: MemberState) => boolean,
): MemberState | undefined {
  let least: MemberState | undefined;
  for (const state of among) {
    if (state.count === 0) return state;
    if ((least === undefined || hasMoreRoom(state, least)) && accepts(state)) least = state;
  }
  return least;
}

function hasMoreRoom(a: MemberState, b: MemberState): boolean {
  return a.load < b.load || (a.load === b.load && a.member.capacity > b.member.capacity);
}
