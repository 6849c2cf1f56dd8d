/** Standbys of each stateful task on the least loaded members that have no copy. Kafka: `DefaultStandbyTaskAssignor`. */
import type { Cluster, MemberState, PlacedTask } from '../cluster.js';
import { LeastLoaded } from './least-loaded.js';

/** How standbys are placed, and how they may be moved afterwards. Kafka: `StandbyTaskAssignor`. */
export interface StandbyPlacing {
  /** Places up to `replicas` standbys of each stateful task, beside its active; fewer where there are too few members. */
  place(cluster: Cluster, replicas: number): void;
  /** Whether standbys may go from one member to the other to even out loads. */
  mayEven(from: MemberState, to: MemberState): boolean;
  /** Whether one standby may go from one member to the other to lessen traffic. */
  mayMove(cluster: Cluster, task: PlacedTask, from: MemberState, to: MemberState): boolean;
}

/** Standbys by load alone. */
export const standbysByLoad: StandbyPlacing = {
  place: (cluster, replicas) => {
    const members = new LeastLoaded(cluster.members);
    for (const task of cluster.stateful) placeByLoad(task, replicas, members);
  },
  mayEven: () => true,
  mayMove: () => true,
};

/** Places standbys of one task on the least loaded members without a copy of it. */
export function placeByLoad(task: PlacedTask, replicas: number, members: LeastLoaded): void {
  for (let placed = 0; placed < replicas; placed++) {
    const state = members.take((candidate) => !candidate.has(task));
    if (state === undefined) return;
    state.standby.add(task);
    members.put(state);
  }
}
