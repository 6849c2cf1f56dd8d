/**
 * Who sleeps: a slot that has run, ended in order, and has no work. It is not asked for again until it has (an application
 * without input costs its ticks alone), and keeps its place in the plan meanwhile. Pure.
 *
 *   Z1  where members are resident (`idleTimeoutMs` 0) nobody sleeps
 *   Z2  a slot that never ran, or whose last incarnation did not end in order, is awake: first starts and crashes need a run
 *   Z3  a task has work if nobody has run it yet, if its last owner did not release it, if an input has something beyond what is
 *       committed, or if a wall-clock punctuation is due; what is not known is work
 *   Z4  a slot that work has woken keeps its place until its incarnation was asked for a session time-out ago
 *   Z5  a slot with copies (standbys, warm-ups) has work while those are of use: while their tasks are at work elsewhere
 *       (copies-in-use.ts)
 */
import { areCopiesInUse } from '../leases/copies-in-use.js';
import type { Lease } from '../leases/records.js';
import { idleTimeoutMsOf } from '../leases/resident-slots.js';
import { lagBetween } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { ApplicationState, ObservedInput, ObservedMember } from './state.js';

type SleepState = Pick<ApplicationState, 'app' | 'plan' | 'leases' | 'members' | 'inputs' | 'nowMs'>;

export function isAsleep(state: SleepState, member: ObservedMember): boolean {
  if (idleTimeoutMsOf(state.app.settings, member.memberId) === 0) return false;
  if (member.status !== 'free' || member.incarnation === 0) return false;
  const { active = [], standby = [], warmup = [] } = state.plan?.assignment[member.memberId] ?? {};
  if (active.some((taskId) => hasWork(state, taskId))) return false;
  const { idleTimeoutMs } = state.app.settings;
  return !areCopiesInUse({ ...state, taskIds: [...standby, ...warmup], idleTimeoutMs });
}

/** Whether a free slot keeps its place although its session time-out has passed since it ended (Z4). */
export function keepsPlace(state: SleepState & Pick<ApplicationState, 'invocations'>, member: ObservedMember): boolean {
  const { sessionTimeoutMs } = state.app.settings;
  if (idleTimeoutMsOf(state.app.settings, member.memberId) === 0 || member.status !== 'free') return false;
  if (isAsleep(state, member)) return true;
  const last = state.invocations.get(member.memberId);
  const isAskedFor = last !== undefined && last.incarnation > member.incarnation;
  return !isAskedFor || (last.attempts === 1 && last.ageMs < sessionTimeoutMs);
}

/** Z3. */
export function hasWork({ leases, inputs, nowMs }: SleepState, taskId: TaskId): boolean {
  const lease = byTask(leases).get(taskId);
  if (lease === undefined || lease.owner !== null) return true;
  if (lease.punctuations?.some(({ dueMs }) => dueMs <= nowMs) === true) return true;
  const observed = inputs.get(taskId);
  return observed === undefined || observed.some(hasNews);
}

/** Of each listing once: there may be thousands of tasks, and all are asked about in one tick. */
const indexes = new WeakMap<readonly Lease[], ReadonlyMap<TaskId, Lease>>();

function byTask(leases: readonly Lease[]): ReadonlyMap<TaskId, Lease> {
  const known = indexes.get(leases) ?? new Map(leases.map((lease) => [lease.taskId, lease]));
  indexes.set(leases, known);
  return known;
}

function hasNews({ nextOffset, startOffset, endOffset }: ObservedInput): boolean {
  return lagBetween(nextOffset ?? startOffset, endOffset) > 0;
}
