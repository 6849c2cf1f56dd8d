/** What members report of their tasks, and what is seen of those that sleep, as one sum. Pure. */
import type { Lease, TaskLoad } from '../leases/records.js';
import { lagBetween } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { hasWork } from './sleep.js';
import type { ApplicationState, ObservedInput, ObservedMember } from './state.js';
import type { WorkLoad } from './wanted-members.js';

/** Heartbeats that a report may miss and still be believed. */
const FRESH_HEARTBEATS = 3;

type LoadState = Pick<ApplicationState, 'app' | 'plan' | 'leases' | 'members' | 'inputs' | 'nowMs'>;

/** The load of these tasks. What is not reported, or long ago, is not known. */
export function workLoadOf(state: LoadState, taskIds: readonly TaskId[]): WorkLoad {
  const leases = new Map(state.leases.map((lease) => [lease.taskId, lease]));
  const loads = loadsByTask(state);
  let lagRecords = 0;
  let recordsPerSecond = 0;
  let isWhole = true;
  for (const taskId of taskIds) {
    const load = loads.get(taskId) ?? sleepingLoad(leases.get(taskId), state.inputs.get(taskId));
    if (load?.lagRecords == null) isWhole = false;
    lagRecords += load?.lagRecords ?? 0;
    recordsPerSecond += load?.lagRecords == null ? 0 : load.recordsPerSecond;
  }
  const isAsleep = taskIds.length > 0 && taskIds.every((taskId) => leases.has(taskId) && !hasWork(state, taskId));
  return { lagRecords, recordsPerSecond, isWhole, isAsleep };
}

/** What is reported of each task by who runs it; idle tasks are not mentioned in reports. */
export function loadsByTask({
  app,
  leases,
  members,
}: Pick<ApplicationState, 'app' | 'leases' | 'members'>): ReadonlyMap<TaskId, Omit<TaskLoad, 'taskId'>> {
  const { heartbeatIntervalMs } = app.settings;
  const byMember = new Map(members.map((member) => [member.memberId, member]));
  const loads = new Map<TaskId, Omit<TaskLoad, 'taskId'>>();
  for (const { taskId, owner } of leases) {
    const member = owner === null ? undefined : byMember.get(owner.memberId);
    if (member === undefined || member.incarnation !== owner?.incarnation) continue;
    if (member.stillMs > FRESH_HEARTBEATS * heartbeatIntervalMs) continue;
    const load = reportedLoad(member, taskId);
    if (load !== undefined) loads.set(taskId, load);
  }
  return loads;
}

function reportedLoad({ report }: ObservedMember, taskId: TaskId): Omit<TaskLoad, 'taskId'> | undefined {
  const { loads, running, restores = [] } = report;
  if (loads === undefined || !running.includes(taskId) || restores.some((one) => one.taskId === taskId))
    return undefined;
  return loads.find((load) => load.taskId === taskId) ?? IDLE;
}

const IDLE: Omit<TaskLoad, 'taskId'> = { lagRecords: 0, recordsPerSecond: 0, bytesPerSecond: 0, busyMsPerSecond: 0 };

function sleepingLoad(
  lease: Lease | undefined,
  inputs: readonly ObservedInput[] | undefined,
): Omit<TaskLoad, 'taskId'> | undefined {
  if (lease === undefined || lease.owner !== null || inputs === undefined) return undefined;
  const lagRecords = inputs.reduce(
    (sum, { nextOffset, startOffset, endOffset }) => sum + lagBetween(nextOffset ?? startOffset, endOffset),
    0,
  );
  return { ...IDLE, lagRecords };
}
