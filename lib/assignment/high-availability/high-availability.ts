/**
 * `highAvailability`: the placements of Kafka Streams' default assignor, exactly. KIP-441, KIP-708 and KIP-925, Kafka:
 * `HighAvailabilityTaskAssignor` of 4.1.
 *
 *   1  stateful tasks in turn on the members, evened out by capacity; previous owners do not matter
 *   2  standbys on other members, least loaded first, apart by tags if the settings name any
 *   3  what is aimed at is corrected by lags: who lacks too much gets a warm-up, and the task stays where it can run
 *   4  stateless tasks on whoever has fewest actives
 *
 * Where a placement is not yet the one that is aimed at it asks for a follow-up. In 1, 2 and 4 tasks are exchanged between
 * members to save traffic between zones, if the settings want it and all zones are known. Without lags it keeps to what was.
 *
 * With snapshot standbys (`standbyKind`) every member can restore every task from one and the same snapshot: no standby sits
 * on a member, everyone counts as caught up, and the answer is the placement that is aimed at, without warm-ups or follow-up.
 */

import { type Cluster, clusterOf, idsOf, type MemberState } from '../cluster.js';
import type { AssignmentInput, MemberPlacement, Placement, TaskAssignor } from '../task-assignor.js';
import { balance } from './balance.js';
import { CaughtUp } from './caught-up.js';
import { LeastLoaded } from './least-loaded.js';
import { lessenActiveTraffic, lessenStandbyTraffic } from './lessen-traffic.js';
import { moveActives, moveStandbys } from './movements.js';
import { placeAsBefore } from './prior.js';
import { standbysByLoad } from './standbys.js';
import { standbysByTags } from './tagged-standbys.js';
import { type Costs, costsOf, Zones } from './zones.js';

/** Kafka Streams' default assignor, exactly. */
export const highAvailability: TaskAssignor = {
  name: 'highAvailability',
  assign: (input) => placeHighlyAvailable(input).placement,
};

/** A placement and how it came about. */
export interface HighAvailabilityAnswer {
  readonly placement: Placement;
  /** Where stateful tasks and standbys are meant to be, by member, lags aside. Null: lags are unknown. */
  readonly target: ReadonlyMap<string, MemberPlacement> | null;
  /** Actives that are not yet where they are meant to be. */
  readonly activeMovements: number;
  readonly standbyMovements: number;
  /** Whether zones were known and asked for. */
  readonly isZoneAware: boolean;
}

/** Stateless tasks may go anywhere: only traffic counts. */
const STATELESS_COSTS: Costs = { traffic: 1, nonOverlap: 0 };

/** The placement with what it aims at. */
export function placeHighlyAvailable(input: AssignmentInput): HighAvailabilityAnswer {
  const cluster = clusterOf(input);
  const replicas = input.settings.standbyKind === 'hot' ? input.settings.numStandbyReplicas : 0;
  if (cluster.members.length === 0) return answerOf(cluster, { target: null, followUp: false });
  if (input.lagsUnknown === true) {
    placeAsBefore(cluster, replicas);
    return answerOf(cluster, { target: null, followUp: true });
  }
  const zones = Zones.of(input, cluster, replicas);
  placeStateful(input, cluster, zones);
  if (replicas > 0) placeStandbys(input, cluster, zones, replicas);
  const target = placedOn(cluster);
  const [activeMovements, standbyMovements] = correctByLags(input, cluster);
  placeStateless(input, cluster, zones);
  const followUp = activeMovements + standbyMovements > 0;
  return answerOf(cluster, { target, followUp, activeMovements, standbyMovements, isZoneAware: zones !== undefined });
}

function placeStateful({ settings }: AssignmentInput, cluster: Cluster, zones: Zones | undefined): void {
  const { members, stateful } = cluster;
  for (const [index, task] of stateful.entries()) members[index % members.length]?.active.add(task);
  balance(members, (state) => state.active);
  if (zones === undefined) return;
  lessenActiveTraffic(stateful, cluster, settings.rackAwareAssignmentStrategy, zones.activeCost(costsOf(settings)));
}

function placeStandbys({ settings }: AssignmentInput, cluster: Cluster, zones: Zones | undefined, replicas: number) {
  const tags = settings.rackAwareAssignmentTags;
  const placing = tags.length > 0 ? standbysByTags(tags) : standbysByLoad;
  placing.place(cluster, replicas);
  balance(cluster.members, (state) => state.standby, placing.mayEven);
  if (zones !== undefined) lessenStandbyTraffic(cluster, placing, zones.standbyCost(costsOf(settings)));
}

/** @returns actives and standbys that are not where they are meant to be */
function correctByLags({ settings }: AssignmentInput, cluster: Cluster): readonly [number, number] {
  if (settings.standbyKind === 'snapshot') return [0, 0];
  const caughtUp = new CaughtUp(cluster, settings.acceptableRecoveryLag);
  const allowance = { left: settings.maxWarmupReplicas };
  const actives = moveActives(cluster.members, caughtUp, allowance);
  return [actives, moveStandbys(cluster.members, caughtUp, allowance)];
}

function placeStateless({ settings }: AssignmentInput, cluster: Cluster, zones: Zones | undefined): void {
  const members = new LeastLoaded(cluster.members, (state) => state.activeLoad);
  for (const task of cluster.stateless) {
    const state = members.take();
    if (state === undefined) return;
    state.active.add(task);
    members.put(state);
  }
  if (zones === undefined) return;
  const costOf = zones.activeCost(STATELESS_COSTS);
  lessenActiveTraffic(cluster.stateless, cluster, settings.rackAwareAssignmentStrategy, costOf);
}

function answerOf(
  cluster: Cluster,
  of: Partial<HighAvailabilityAnswer> & {
    readonly target: HighAvailabilityAnswer['target'];
    readonly followUp: boolean;
  },
): HighAvailabilityAnswer {
  const { target, followUp, activeMovements = 0, standbyMovements = 0, isZoneAware = false } = of;
  const placement = { members: placedOn(cluster), followUp };
  return { placement, target, activeMovements, standbyMovements, isZoneAware };
}

function placedOn(cluster: Cluster): ReadonlyMap<string, MemberPlacement> {
  return new Map(cluster.members.map((state) => [state.member.id, placementOf(state)]));
}

function placementOf({ active, standby, warmup }: MemberState): MemberPlacement {
  return {
    active: idsOf(active),
    standby: idsOf([...standby].filter((task) => !warmup.has(task))),
    warmup: idsOf(warmup),
  };
}
