/**
 * `steady`, the default assignor: balanced, available and sticky; no task moves that need not, and none stands still to move.
 *
 * It aims at a balanced placement that is as near as possible to the one before, and goes there as copies catch up. Invariants
 * (property tests cite them):
 *   B1  what it aims at: stateful tasks alone, and all tasks together, are shared by capacity so that no move improves the balance
 *       (seats.ts, S1): members of one capacity differ by at most one
 *   B2  a task stays where it is unless its member is gone, over its share, or lacks too much while another is caught up: its own
 *       answer as input moves nothing
 *   B3  of all shares that satisfy B1 it takes those that make the fewest stateful tasks move, and given those the fewest
 *       stateless ones: where all tasks are of one kind, a join moves the newcomer's share and a leave the leaver's tasks
 *   B4  the answer does not depend on the order of tasks and members in the input
 *   B5  a stateful task becomes active only where it is caught up, as long as anybody is (as-far-as-ready.ts)
 *   B6  asked again as copies catch up it comes to rest at what it aims at
 * Hot standbys: standby-aim.ts. Traffic between zones (KIP-925): exchanges that keep each member's number of tasks, as in
 * `highAvailability`; of those that cost least, one that moves least. Spread of sub-topologies is a preference and never
 * moves a task by itself.
 *
 * Where standbys are snapshots none sit on members, but warm-ups do. Where members keep no copies at all (`maxWarmupReplicas` 0)
 * every task moves at once. `sticky` is the same without a look at lags, as Kafka's `StickyTaskAssignor` (before KIP-441).
 *
 * Kafka Streams' `HighAvailabilityTaskAssignor` gives the same guarantees and aims at a placement that does not depend on
 * the one before: decision 24 has the figures.
 */
import { type Cluster, clusterOf, idsOf, type MemberState, type PlacedTask } from '../cluster.js';
import { Zones } from '../high-availability/zones.js';
import type { AssignmentInput, MemberPlacement, Placement, TaskAssignor } from '../task-assignor.js';
import { aimByCount } from './aim-actives.js';
import { placeAsFarAsReady } from './as-far-as-ready.js';
import { type Copies, plannedCopies, reportedCopies } from './copies.js';
import { exchangeActives, exchangeStandbys } from './exchange.js';
import { aimAtStandbys } from './standby-aim.js';

/** Balanced, available, with the fewest moves. */
export const steady: TaskAssignor = {
  name: 'steady',
  assign: (input) => place(input, reportedCopies),
};

/** As `steady`, blind to lags: tasks move at once, whatever they have to restore. */
export const sticky: TaskAssignor = {
  name: 'sticky',
  assign: (input) => place(input, (_, cluster) => plannedCopies(cluster)),
};

function place(input: AssignmentInput, copiesIn: (input: AssignmentInput, cluster: Cluster) => Copies): Placement {
  const cluster = clusterOf(input);
  if (cluster.members.length === 0) return { members: new Map(), followUp: false };
  const { settings } = input;
  const copies = copiesIn(input, cluster);
  const replicas = settings.standbyKind === 'hot' ? settings.numStandbyReplicas : 0;
  const zones = Zones.of(input, cluster, replicas);
  const aim = (tasks: readonly PlacedTask[]): void => {
    aimByCount(tasks, cluster.members, copies);
    if (zones === undefined) return;
    exchangeActives(tasks, cluster, copies, zones, settings);
  };
  aim(cluster.stateful);
  if (replicas > 0) {
    aimAtStandbys(cluster.stateful, cluster.members, copies, replicas, settings.rackAwareAssignmentTags);
    if (zones !== undefined) exchangeStandbys(cluster, copies, zones, settings);
  }
  aim(cluster.stateless);
  const waits =
    settings.maxWarmupReplicas > 0 && placeAsFarAsReady(cluster, copies, replicas, settings.maxWarmupReplicas);
  return {
    members: new Map(cluster.members.map((state) => [state.member.id, placementOf(state)])),
    followUp: waits || input.lagsUnknown === true,
  };
}

function placementOf({ active, standby, warmup }: MemberState): MemberPlacement {
  return {
    active: idsOf(active),
    standby: idsOf([...standby].filter((task) => !warmup.has(task))),
    warmup: idsOf(warmup),
  };
}
