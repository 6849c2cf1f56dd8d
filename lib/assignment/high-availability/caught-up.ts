/** How far each member's copy of a task lacks behind, and who counts as caught up. Kafka: `taskLagTotals`, KIP-441. */
import type { TaskId } from '../../model/task-id.js';
import type { Cluster, MemberState, PlacedTask } from '../cluster.js';
import { isAcceptable, lagOn } from '../lags.js';

interface Copies {
  readonly caughtUp: Set<MemberState>;
  /** Members that reported a lag. */
  reported: number;
  /** Least of the lags reported. */
  least: number;
}

export class CaughtUp {
  private readonly members: readonly MemberState[];
  private readonly copies: ReadonlyMap<PlacedTask, Copies>;

  /**
   * @param acceptableRecoveryLag greatest lag of a copy that is caught up (inclusive); `Number.MAX_SAFE_INTEGER`: every
   *   member counts as caught up on every task, whatever it lacks
   */
  constructor(cluster: Cluster, acceptableRecoveryLag: number) {
    this.members = cluster.members;
    const isEnough = (lag: number) => isAcceptable(lag, acceptableRecoveryLag);
    this.copies = reportedCopies(cluster, isEnough);
    for (const [task, copies] of this.copies) {
      // Whoever has no copy lacks the whole changelog: that may be little enough.
      if (!isEnough(wholeLag(task))) continue;
      for (const state of this.members) if (isEnough(this.lagOf(state, task))) copies.caughtUp.add(state);
    }
  }

  lagOf(state: MemberState, task: PlacedTask): number {
    return lagOn(state.member, task.task);
  }

  /** Members that are caught up on a stateful task. */
  of(task: PlacedTask): ReadonlySet<MemberState> {
    return this.copies.get(task)?.caughtUp ?? new Set();
  }

  /** Whether a member is not caught up while another one lacks less. */
  isBehind(state: MemberState, task: PlacedTask): boolean {
    const copies = this.copies.get(task);
    if (copies === undefined || copies.caughtUp.has(state)) return false;
    const least = copies.reported < this.members.length ? Math.min(copies.least, wholeLag(task)) : copies.least;
    return least < this.lagOf(state, task);
  }

  /** The accepted member that lacks least, if that is less than `than` lacks; of equals the first in order. */
  mostCaughtUp(
    task: PlacedTask,
    than: MemberState,
    accepts: (state: MemberState) => boolean = () => true,
  ): MemberState | undefined {
    let most: MemberState | undefined;
    let bound = than;
    for (const state of this.members) {
      if (!this.lacksLess(task, state, bound) || !accepts(state)) continue;
      most = state;
      bound = state;
    }
    return most;
  }

  private lacksLess(task: PlacedTask, a: MemberState, b: MemberState): boolean {
    const [lagA, lagB] = [this.lagOf(a, task), this.lagOf(b, task)];
    return lagA < lagB || (lagA === lagB && a.index < b.index);
  }
}

function reportedCopies(cluster: Cluster, isEnough: (lag: number) => boolean): Map<PlacedTask, Copies> {
  const byId = new Map<TaskId, Copies>();
  const copies = new Map<PlacedTask, Copies>();
  for (const task of cluster.stateful) {
    const none = { caughtUp: new Set<MemberState>(), reported: 0, least: Number.POSITIVE_INFINITY };
    copies.set(task, none);
    byId.set(task.task.id, none);
  }
  for (const state of cluster.members) {
    for (const [id, lag] of state.member.lags) {
      const known = byId.get(id);
      if (known === undefined) continue; // a task that is no more
      known.reported += 1;
      known.least = Math.min(known.least, lag);
      if (isEnough(lag)) known.caughtUp.add(state);
    }
  }
  return copies;
}

/** What a member without a copy lacks. */
function wholeLag({ task }: PlacedTask): number {
  return task.changelogRecords ?? Number.POSITIVE_INFINITY;
}
