/**
 * Only what moves pauses: a member that goes on running does not hand back a task for the sake of a plan (`revoked`) while every
 * plan since it took the task grants it to that member. A run that takes its own lease again, since it was fenced, goes on: a plan of before
 * may have asked it to end.
 */

import type { Conditional } from '../../../leases/lease-store.js';
import type { Incarnation, Lease, MemberId, Plan } from '../../../leases/records.js';
import { isGrantedTo } from '../../../leases/rules.js';
import type { TaskId } from '../../../model/task-id.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';

/** Events with which a run of a task ends. */
export const TASK_ENDS: ReadonlySet<string> = new Set(['task-released', 'task-left', 'task-failed', 'task-migrated']);

export const onlyMoversPause: Checker = {
  name: 'only-movers-pause',
  watch({ cloud, wrong }) {
    const plans: Plan[] = [];
    /** By task and owner, of runs that go on: plans that there were when it took the lease; another may have it before the end is logged. */
    const plansAtTake = new Map<string, number>();
    const hear = (effect: Effect) => {
      if (!effect.ok) return;
      if (effect.method === 'writePlan') {
        const { applied, item } = effect.answer as Conditional<Plan>;
        if (applied) plans.push(item);
      } else {
        const { applied, item } = effect.answer as Conditional<Lease>;
        if (!applied || item.owner === null) return;
        const owner = ownership(item.taskId, item.owner);
        if (!plansAtTake.has(owner)) plansAtTake.set(owner, plans.length);
      }
    };
    cloud.listen(hear, ['writePlan', 'takeLease']);
    cloud.timeline.listen(({ who, event, fields }) => {
      if (!TASK_ENDS.has(event)) return;
      const taskId = fields.taskId as TaskId;
      const memberId = fields.memberId as MemberId;
      const owner = ownership(taskId, { memberId, incarnation: Number(fields.incarnation) });
      const newestAtTake = Math.max(0, (plansAtTake.get(owner) ?? 0) - 1);
      plansAtTake.delete(owner);
      if (fields.reason !== 'revoked') return;
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
