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
 * the one before: decision 28 has the figures.
 */
import type { Cluster, PlacedTask } from '../cluster.js';
import type { Zones } from '../high-availability/zones.js';
import type { AssignmentSettings, TaskAssignor } from '../task-assignor.js';
import { aimByCount } from './aim-actives.js';
import { type Copies, plannedCopies, reportedCopies } from './copies.js';
import { exchangeActives } from './exchange.js';
import { placeInSteps } from './place-in-steps.js';

/** Balanced, available, with the fewest moves. */
export const steady: TaskAssignor = {
  name: 'steady',
  assign: (input) => placeInSteps(input, reportedCopies, aimEvenly),
};

/** As `steady`, blind to lags: tasks move at once, whatever they have to restore. */
export const sticky: TaskAssignor = {
  name: 'sticky',
  assign: (input) => placeInSteps(input, plannedCopies, aimEvenly),
};

function aimEvenly(
  tasks: readonly PlacedTask[],
  cluster: Cluster,
  copies: Copies,
  zones: Zones | undefined,
  settings: AssignmentSettings,
): void {
  aimByCount(tasks, cluster.members, copies);
  if (zones !== undefined) exchangeActives(tasks, cluster, copies, zones, settings);
}
