/** The way of `steady` and its kin from an input to a placement: aim, then go there as far as copies are ready. */
import { type Cluster, clusterOf, idsOf, type MemberState, type PlacedTask } from '../cluster.js';
import { Zones } from '../high-availability/zones.js';
import type { AssignmentInput, AssignmentSettings, MemberPlacement, Placement } from '../task-assignor.js';
import { placeAsFarAsReady } from './as-far-as-ready.js';
import type { Copies } from './copies.js';
import { exchangeStandbys } from './exchange.js';
import { aimAtStandbys } from './standby-aim.js';

/** Adds tasks of one kind to what members are meant to run: asked for stateful ones, then for stateless ones on top. */
export type AimAt = (
  tasks: readonly PlacedTask[],
  cluster: Cluster,
  copies: Copies,
  zones: Zones | undefined,
  settings: AssignmentSettings,
) => void;

/** Places tasks where they are meant to be, or as far on the way there as copies have caught up. */
export function placeInSteps(
  input: AssignmentInput,
  copiesIn: (input: AssignmentInput, cluster: Cluster) => Copies,
  aimAt: AimAt,
): Placement {
  const cluster = clusterOf(input);
  if (cluster.members.length === 0) return { members: new Map(), followUp: false };
  const { settings } = input;
  const copies = copiesIn(input, cluster);
  const replicas = settings.standbyKind === 'hot' ? settings.numStandbyReplicas : 0;
  const zones = Zones.of(input, cluster, replicas);
  aimAt(cluster.stateful, cluster, copies, zones, settings);
  if (replicas > 0) {
    aimAtStandbys(cluster.stateful, cluster.members, copies, replicas, settings.rackAwareAssignmentTags);
    if (zones !== undefined) exchangeStandbys(cluster, copies, zones, settings);
  }
  aimAt(cluster.stateless, cluster, copies, zones, settings);
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
