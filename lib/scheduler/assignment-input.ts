/** From what was observed to what an assignor sees. Pure. */
import type { AssignableMember, AssignableTask, AssignmentInput } from '../assignment/task-assignor.js';
import type { Lease, MemberId, Plan } from '../leases/records.js';
import { compareMemberIds } from '../leases/slots.js';
import { lagBetween } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import type { Membership } from './membership.js';
import type { ApplicationState, ObservedMember } from './state.js';

/** The tag with which a member states its capacity; without it the setting `tasksPerMember` holds. */
export const CAPACITY_TAG = 'capacity';

/** The tag with which a member states its zone, by the name that the brokers have for it. */
const ZONE_TAG = 'zone';

/**
 * The assignor's input: the slots that count are live, other known ones only tell what they held.
 *
 * What a slot held before is what the plan gave it, also while it is still taking it: a task on its way is not sent
 * elsewhere. Without a plan (the first one, or a table that was emptied) it is what its leases say.
 */
export function assignmentInput(
  state: ApplicationState,
  membership: Membership,
  tasks: readonly TaskSpec[],
): AssignmentInput {
  const { settings } = state.app;
  const counted = new Set(membership.counted);
  const known = new Set([
    ...membership.counted,
    ...membership.members.map(({ memberId }) => memberId),
    ...((state.plan === null ? [] : Object.keys(state.plan.assignment)) as MemberId[]),
  ]);
  const byId = new Map(membership.members.map((member) => [member.memberId, member]));
  return {
    tasks: tasks.map(assignable),
    members: [...known].sort(compareMemberIds).map((id): AssignableMember => {
      const member = byId.get(id);
      return {
        id,
        live: counted.has(id),
        capacity: capacityOf(member, settings.tasksPerMember),
        tags: member?.tags ?? {},
        ...zoneOf(member),
        ...previousOf(id, state.plan, state.leases),
        lags: lagsOf(member, tasks),
      };
    }),
    settings: {
      numStandbyReplicas: settings.numStandbyReplicas,
      standbyKind: 'snapshot',
      acceptableRecoveryLag: settings.acceptableRecoveryLag,
      maxWarmupReplicas: settings.maxWarmupReplicas,
      rackAwareAssignmentTags: settings.rackAwareAssignmentTags,
      rackAwareAssignmentStrategy: settings.rackAwareAssignmentStrategy,
      rackAwareAssignmentTrafficCost: settings.rackAwareAssignmentTrafficCost,
      rackAwareAssignmentNonOverlapCost: settings.rackAwareAssignmentNonOverlapCost,
    },
  };
}

function assignable(task: TaskSpec): AssignableTask {
  return { id: task.taskId, stateful: task.stateful, inputs: task.inputs, changelogs: task.changelogs, weight: 1 };
}

function capacityOf(member: ObservedMember | undefined, otherwise: number): number {
  const stated = Number(member?.tags[CAPACITY_TAG]);
  return Number.isSafeInteger(stated) && stated >= 1 ? stated : otherwise;
}

function zoneOf(member: ObservedMember | undefined): Pick<AssignableMember, 'zone'> {
  const zone = member?.tags[ZONE_TAG];
  return zone === undefined ? {} : { zone };
}

function previousOf(
  id: MemberId,
  plan: Plan | null,
  leases: readonly Lease[],
): Pick<AssignableMember, 'previousActive' | 'previousStandby' | 'previousWarmup'> {
  if (plan === null) {
    const owned = leases.filter(({ owner }) => owner?.memberId === id).map(({ taskId }) => taskId);
    return { previousActive: owned, previousStandby: [], previousWarmup: [] };
  }
  const held = plan.assignment[id];
  return {
    previousActive: held?.active ?? [],
    previousStandby: held?.standby ?? [],
    previousWarmup: held?.warmup ?? [],
  };
}

/** Lag per task of which the member has a copy of every store: what it lacks is the sum over the stores. */
function lagsOf(member: ObservedMember | undefined, tasks: readonly TaskSpec[]): ReadonlyMap<TaskId, number> {
  const lags = new Map<TaskId, number>();
  if (member === undefined) return lags;
  for (const task of tasks) {
    const copies = member.report.positions.filter(({ taskId }) => taskId === task.taskId);
    const isWhole = task.changelogs.every(({ store }) => copies.some((copy) => copy.store === store));
    if (!task.stateful || !isWhole) continue;
    lags.set(
      task.taskId,
      copies.reduce((sum, { nextOffset, endOffset }) => sum + lagBetween(nextOffset, endOffset), 0),
    );
  }
  return lags;
}
