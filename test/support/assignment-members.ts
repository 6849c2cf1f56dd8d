import {
  type AssignableMember,
  type AssignmentInput,
  type AssignmentSettings,
  type Placement,
  RUNNING_LAG,
} from '../../lib/assignment/task-assignor.js';
import type { TaskId } from '../../lib/model/task-id.js';

/** Settings of a placement with copies that sit on no member. */
export const settings: AssignmentSettings = {
  numStandbyReplicas: 0,
  standbyKind: 'snapshot',
  acceptableRecoveryLag: 100,
  maxWarmupReplicas: 2,
  rackAwareAssignmentTags: [],
  rackAwareAssignmentStrategy: 'none',
  rackAwareAssignmentTrafficCost: 10,
  rackAwareAssignmentNonOverlapCost: 1,
};

/** A live member of capacity 1 that holds nothing and has no copies, but for `more`. */
export function member(number: number, more: Partial<AssignableMember> = {}): AssignableMember {
  return {
    id: `member-${number}`,
    live: true,
    capacity: 1,
    tags: {},
    previousActive: [],
    previousStandby: [],
    previousWarmup: [],
    lags: new Map(),
    ...more,
  };
}

/** What is reported after a placement: actives run, replicas have caught up. */
export function afterwards(input: AssignmentInput, { members }: Placement): AssignmentInput {
  const held = (one: AssignableMember): AssignableMember => {
    const { active, standby, warmup } = members.get(one.id) ?? { active: [], standby: [], warmup: [] };
    const lags = new Map<TaskId, number>([...standby, ...warmup].map((id) => [id, 0]));
    for (const id of active) lags.set(id, RUNNING_LAG);
    return { ...one, previousActive: active, previousStandby: standby, previousWarmup: warmup, lags };
  };
  return { ...input, members: input.members.map(held) };
}

/** A placement as a value to compare, whatever the order of its members. */
export function asObject({ members, followUp }: Placement): unknown {
  return { followUp, ...Object.fromEntries([...members].sort()) };
}
