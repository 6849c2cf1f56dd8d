/**
 * Exchanges tasks between members so that they read less from other zones; each keeps its number of tasks. KIP-925.
 *
 * Where a task is at home, its owner's or a copy's place before, it costs nothing; elsewhere it costs the non-overlap cost. Of exchanges
 * that cost the same one that moves least is taken, so that its own answer as input moves nothing. What would cost no less than the
 * placement by count is left out: `balance_subtopology` may spread sub-topologies for traffic and moves, and with copies that
 * become ready one by one such exchanges can undo each other for ever.
 */
import type { Cluster, MemberState, PlacedTask } from '../cluster.js';
import { lessenActiveTraffic, lessenStandbyTraffic } from '../high-availability/lessen-traffic.js';
import { standbysByLoad } from '../high-availability/standbys.js';
import { standbysByTags } from '../high-availability/tagged-standbys.js';
import { type Costs, costsOf, type Zones } from '../high-availability/zones.js';
import type { AssignmentSettings } from '../task-assignor.js';
import { holderOf } from './aim-actives.js';
import type { Copies } from './copies.js';

/** Exchanges active tasks of one kind among all members. */
export function exchangeActives(
  tasks: readonly PlacedTask[],
  cluster: Cluster,
  copies: Copies,
  zones: Zones,
  settings: AssignmentSettings,
): void {
  const homes = new Map(tasks.map((task) => [task, holderOf(task, copies)] as const));
  for (const state of cluster.members) {
    for (const task of state.active) if (homes.has(task) && homes.get(task) === undefined) homes.set(task, state);
  }
  const isAtHome = (task: PlacedTask, state: MemberState): boolean => homes.get(task) === state;
  const costOf = zones.activeCost(fewestMoves(settings, tasks.length), isAtHome);
  const costs = (places: Places): number => places.reduce((sum, [task, state]) => sum + costOf(task, state), 0);
  const before = placesOf(tasks, cluster);
  lessenActiveTraffic(tasks, cluster, settings.rackAwareAssignmentStrategy, costOf);
  const after = placesOf(tasks, cluster);
  if (costs(after) < costs(before)) return;
  for (const [task, state] of after) state.active.delete(task);
  for (const [task, state] of before) state.active.add(task);
}

type Places = readonly (readonly [PlacedTask, MemberState])[];

function placesOf(tasks: readonly PlacedTask[], { members }: Cluster): Places {
  const asked = new Set(tasks);
  return members.flatMap((state) =>
    [...state.active].filter((task) => asked.has(task)).map((task) => [task, state] as const),
  );
}

/** Exchanges standbys, pair by pair of members in different zones, as far as tags allow. */
export function exchangeStandbys(cluster: Cluster, copies: Copies, zones: Zones, settings: AssignmentSettings): void {
  const tags = settings.rackAwareAssignmentTags;
  const isAtHome = (task: PlacedTask, state: MemberState): boolean => copies.kept(state, task);
  const costOf = zones.standbyCost(fewestMoves(settings, cluster.stateful.length * cluster.members.length), isAtHome);
  lessenStandbyTraffic(cluster, tags.length > 0 ? standbysByTags(tags) : standbysByLoad, costOf);
}

/** One more than all moves together times as much: a move decides only where all else is equal. */
function fewestMoves(settings: AssignmentSettings, moves: number): Costs {
  const { traffic, nonOverlap } = costsOf(settings);
  return { traffic: traffic * (moves + 1), nonOverlap: nonOverlap * (moves + 1) + 1 };
}
