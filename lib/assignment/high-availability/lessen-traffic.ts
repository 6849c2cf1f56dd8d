/** Exchanges tasks between members so that less is read across zones; how many each has stays as it is. KIP-925. */

import { type Cluster, inOrder, type MemberState, type PlacedTask } from '../cluster.js';
import type { RackAwareStrategy } from '../task-assignor.js';
import type { StandbyPlacing } from './standbys.js';
import { type Exchange, leastTraffic, leastTrafficBySubTopology, type Solve } from './traffic-graphs.js';
import type { CostOf } from './zones.js';

/** Rounds over all pairs of members; after three there is seldom anything left. */
const MAX_ROUNDS = 4;

/** Exchanges active tasks among all members. */
export function lessenActiveTraffic(
  tasks: readonly PlacedTask[],
  cluster: Cluster,
  strategy: RackAwareStrategy,
  costOf: CostOf,
): void {
  if (tasks.length === 0) return;
  const solve = strategy === 'balance_subtopology' ? leastTrafficBySubTopology : leastTraffic;
  exchange(solve, { tasks, members: cluster.members, kindOf: (state) => state.active, costOf });
}

/** Exchanges standbys, pair by pair of members in different zones, as far as their placing allows. */
export function lessenStandbyTraffic(cluster: Cluster, placing: StandbyPlacing, costOf: CostOf): void {
  const movable = (from: MemberState, to: MemberState): PlacedTask[] =>
    [...from.standby].filter((task) => !to.has(task) && placing.mayMove(cluster, task, from, to));
  let hasMoved = true;
  for (let round = 0; hasMoved && round < MAX_ROUNDS; round++) {
    hasMoved = false;
    for (const [index, one] of cluster.members.entries()) {
      for (const other of cluster.members.slice(index + 1)) {
        if (one.member.zone === other.member.zone) continue;
        const [there, back] = [movable(one, other), movable(other, one)];
        if (there.length === 0 || back.length === 0) continue; // tasks are exchanged, not given away
        const tasks = inOrder([...there, ...back]);
        const members = [one, other];
        if (exchange(leastTraffic, { tasks, members, kindOf: (state) => state.standby, costOf })) hasMoved = true;
      }
    }
  }
}

function exchange(solve: Solve, of: Exchange): boolean {
  let hasMoved = false;
  const destinations = solve(of);
  for (const [index, task] of of.tasks.entries()) {
    const from = of.members.find((state) => of.kindOf(state).has(task));
    const to = destinations[index];
    if (from === undefined || to === undefined || from === to) continue;
    of.kindOf(from).delete(task);
    of.kindOf(to).add(task);
    hasMoved = true;
  }
  return hasMoved;
}
