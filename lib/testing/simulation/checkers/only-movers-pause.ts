/**
 * Only what moves pauses: a member that goes on running does not hand back a task for the sake of a plan (`revoked`) while every
 * plan since it took the task grants it to that member.
 */
import type { Conditional } from '../../../leases/lease-store.js';
import type { Incarnation, Lease, MemberId, Plan } from '../../../leases/records.js';
import { isGrantedTo } from '../../../leases/rules.js';
import type { TaskId } from '../../../model/task-id.js';
import type { Checker } from './checker.js';

/** Events with which a run of a task ends. */
export const TASK_ENDS: ReadonlySet<string> = new Set(['task-released', 'task-left', 'task-failed', 'task-migrated']);

export const onlyMoversPause: Checker = {
  name: 'only-movers-pause',
  watch({ cloud, wrong }) {
    const plans: Plan[] = [];
    /** By task and owner: plans that there were when that owner took the lease last; another may have it before the end is logged. */
    const plansAtTake = new Map<string, number>();
    cloud.listen(({ port, method, ...outcome }) => {
      if (port !== 'leases' || !outcome.ok) return;
      if (method === 'writePlan') {
        const { applied, item } = outcome.answer as Conditional<Plan>;
        if (applied) plans.push(item);
      } else if (method === 'takeLease') {
        const { applied, item } = outcome.answer as Conditional<Lease>;
        if (applied && item.owner !== null) plansAtTake.set(ownership(item.taskId, item.owner), plans.length);
      }
    });
    cloud.timeline.listen(({ who, event, fields }) => {
      if (!TASK_ENDS.has(event) || fields.reason !== 'revoked') return;
      const taskId = fields.taskId as TaskId;
      const memberId = fields.memberId as MemberId;
      const owner = ownership(taskId, { memberId, incarnation: Number(fields.incarnation) });
      const newestAtTake = Math.max(0, (plansAtTake.get(owner) ?? 0) - 1);
      const since = plans.slice(newestAtTake);
      if (since.some((plan) => !isGrantedTo(plan, taskId, memberId))) return;
      wrong(`${who} hands back ${taskId} for a plan, though ${memberId} is granted it by all plans since it took it`);
    });
    return {};
  },
};

function ownership(taskId: TaskId, { memberId, incarnation }: Incarnation): string {
  return `${taskId} ${memberId}/${incarnation}`;
}
