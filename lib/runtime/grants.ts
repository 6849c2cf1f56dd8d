/**
 * Which tasks a member may want, and which it has to hand back: the decisions of granted-tasks.ts, without its reads and writes.
 * Pure; a model checker asks the same functions.
 */
import type { Incarnation, Lease, Member, Plan } from '../leases/records.js';
import { isGrantedTo, mayTake, mayTakeForDoorbell, type TakeDecision } from '../leases/rules.js';
import type { TaskId } from '../model/task-id.js';

/** What a member goes by. */
export interface Grants {
  /** The newest plan that it has read; null before the first. */
  readonly plan: Plan | null;
  readonly self: Incarnation;
  /** Tasks that a doorbell wants run, granted or not. */
  readonly wanted: ReadonlySet<TaskId>;
}

/** A granted task, or one that a doorbell wants and the plan grants to nobody else. All are kept before the first plan, none at rest. */
export function mayKeep({ plan, self, wanted }: Grants, taskId: TaskId): boolean {
  if (plan === null) return true;
  if (plan.rest !== undefined) return false;
  if (isGrantedTo(plan, taskId, self.memberId)) return true;
  const isGranted = Object.values(plan.assignment).some(({ active }) => active.includes(taskId));
  return wanted.has(taskId) && !isGranted;
}

/** The tasks that the member should run. */
export function goals(grants: Grants): ReadonlySet<TaskId> {
  const { plan, self, wanted } = grants;
  const wantedStill = [...wanted].filter((taskId) => mayKeep(grants, taskId));
  return new Set([...(plan?.assignment[self.memberId]?.active ?? []), ...wantedStill]);
}

/** Whether a goal needs the rule for doorbells (R4), which looks at the members, because no grant covers it. */
export function needsDoorbellRule({ plan, self, wanted }: Grants, taskId: TaskId): boolean {
  return wanted.has(taskId) && (plan === null || !isGrantedTo(plan, taskId, self.memberId));
}

/** Whether the lease of a goal may be taken as read. @param members as read, or null if the rule for doorbells is not needed */
export function mayTakeGoal(
  grants: Grants,
  question: { readonly taskId: TaskId; readonly lease: Lease | null; readonly members: readonly Member[] | null },
): TakeDecision {
  const { plan, self } = grants;
  const { taskId, lease, members } = question;
  if (members === null) return mayTake({ plan, taskId, lease, self });
  return mayTakeForDoorbell({ plan, taskId, lease, members });
}
