import type { AssignableMember, AssignmentSettings } from '../../lib/assignment/task-assignor.js';

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
