import type { Incarnation, MemberId } from '../../leases/records.js';
import { compareMemberIds } from '../../leases/slots.js';
import { compareTaskIds, type TaskId } from '../../model/task-id.js';
import type { ApplicationView } from '../application-view.js';

/**
 * `running` its owner is whom the plan grants it · `moving` somebody else still holds it · `waiting` it is granted, and nobody holds
 * it yet or any more · `unassigned` the plan grants it to nobody.
 */
export type TaskState = 'running' | 'moving' | 'waiting' | 'unassigned';

/** One task, as `millrace tasks` shows it. */
export interface TaskRow {
  readonly taskId: TaskId;
  readonly state: TaskState;
  /** Who holds its lease; null: nobody. */
  readonly owner: Incarnation | null;
  /** How often its lease was taken; 0: never. */
  readonly leaseEpoch: number;
  /** To whom the newest plan grants it; null: nobody. */
  readonly grantedTo: MemberId | null;
  readonly standbys: readonly MemberId[];
  readonly warmups: readonly MemberId[];
  /** When it was released, of a task that nobody holds; null: not known. */
  readonly releasedAtMs: number | null;
}

export interface TasksReport {
  readonly applicationId: string;
  readonly planNumber: number | null;
  readonly tasks: readonly TaskRow[];
}

/** All tasks that the newest plan has or whose lease was ever taken, by id. */
export async function reportTasks({ applicationId, leases }: ApplicationView): Promise<TasksReport> {
  const [held, plan] = await Promise.all([leases.listLeases(), leases.readPlan()]);
  const byTask = new Map(held.map((lease) => [lease.taskId, lease]));
  const slots = (Object.keys(plan?.assignment ?? {}) as MemberId[]).sort(compareMemberIds);
  const holders = (role: 'active' | 'standby' | 'warmup', taskId: TaskId): readonly MemberId[] =>
    slots.filter((id) => plan?.assignment[id]?.[role].includes(taskId));
  const planned = slots.flatMap((id) => plan?.assignment[id]?.active ?? []);
  const taskIds = [...new Set([...planned, ...byTask.keys()])].sort(compareTaskIds);
  const tasks = taskIds.map((taskId): TaskRow => {
    const lease = byTask.get(taskId);
    const owner = lease?.owner ?? null;
    const [grantedTo = null] = holders('active', taskId);
    return {
      taskId,
      state: stateOf(owner, grantedTo),
      owner,
      leaseEpoch: lease?.epoch ?? 0,
      grantedTo,
      standbys: holders('standby', taskId),
      warmups: holders('warmup', taskId),
      releasedAtMs: owner === null ? (lease?.releasedAtMs ?? null) : null,
    };
  });
  return { applicationId, planNumber: plan?.number ?? null, tasks };
}

function stateOf(owner: Incarnation | null, grantedTo: MemberId | null): TaskState {
  if (grantedTo === null) return 'unassigned';
  if (owner === null) return 'waiting';
  return owner.memberId === grantedTo ? 'running' : 'moving';
}
