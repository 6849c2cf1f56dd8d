/**
 * From what is to what is to be done. Pure: the same state gives the same actions.
 *
 * A tick that finds everything as the newest plan says decides upon nothing.
 */
import type { Plan } from '../leases/records.js';
import { isRun } from '../leases/rules.js';
import type { StreamsError } from '../model/errors.js';
import { hasSnapshotStandbys } from '../model/settings.js';
import { compareTaskIds, type TaskId } from '../model/task-id.js';
import type { ResolvedPartitions, TaskSpec } from '../topology/resolve-partitions.js';
import type { Action, AnnouncePlan, InvokeStandby } from './actions.js';
import { assess, invocations, type Membership, retirements } from './membership.js';
import { asksAssignor, nextPlan } from './next-plan.js';
import type { ApplicationState } from './state.js';
import { type Resolution, resolveTopics } from './topics.js';

/** Tasks whose snapshots one invocation of the standby function advances. */
export const MAX_TASKS_PER_STANDBY = 10;
/** Invocations of the standby function that one tick makes; what is left is due at the next. */
export const MAX_STANDBY_INVOCATIONS = 8;
/**
 * How often the standby function looks after the snapshots of a task that nobody runs: their changelogs stand still, only the
 * time grows for which they are known to be complete (advance-snapshot.ts).
 */
export const STANDBY_INTERVAL_ASLEEP_MS = 3_600_000;

export interface Decision {
  /** In order. */
  readonly actions: readonly Action[];
  /** Why the placement of the assignor was refused; the newest plan stays. Null: it was not. */
  readonly rejected: StreamsError | null;
  /** Tasks on their way for which a new placement waits. */
  readonly waitingFor: readonly TaskId[];
}

/**
 * Decides what a tick does.
 *
 * @param refused why the plan decided upon before could not be written, so that the newest has to stay; null: none was
 * @param resolution of the state's topics, by `resolveTopics`
 * @throws errors of kind `invalid`, before anything is touched: {PartitionCountChangedError}
 *   STREAMS_PARTITION_COUNT_CHANGED · {MissingSourceTopicError} STREAMS_MISSING_SOURCE_TOPIC · {NotCopartitionedError}
 *   STREAMS_NOT_COPARTITIONED · {InternalTopicMismatchError} STREAMS_INTERNAL_TOPIC_MISMATCH · {InvalidAssignmentError}
 *   STREAMS_INVALID_ASSIGNMENT where no plan could stay
 */
export function decide(
  state: ApplicationState,
  refused: StreamsError | null = null,
  resolution: Resolution = resolveTopics(state),
): Decision {
  const membership = assess(state);
  const { write, rejected, waitingFor } = nextPlan(state, membership, resolution, refused);
  const plan = write?.plan ?? state.plan;
  return {
    actions: [
      ...resolution.create,
      ...membership.deaths,
      ...(write === null ? [] : [write]),
      ...announcements(membership, plan),
      ...invocations(state, membership, plan),
      ...retirements(state, membership, plan),
      ...(plan?.rest === undefined ? standbys(state, resolution.resolved) : []),
    ],
    rejected,
    waitingFor,
  };
}

/**
 * The tasks that this tick places anew; null where the newest plan stays, so that nothing needs to be known of their copies.
 *
 * @throws as {@link decide}
 */
export function tasksToPlace(state: ApplicationState, resolution: Resolution): readonly TaskSpec[] | null {
  return asksAssignor(state, assess(state), resolution) ? resolution.resolved.tasks : null;
}

/**
 * To every member that runs, wanted or not: one that is not wanted has to see that. And to the free slots that the plan lists:
 * an incarnation that claims one finds its tasks at once.
 */
function announcements(membership: Membership, plan: Plan | null): readonly AnnouncePlan[] {
  if (plan === null) return [];
  return membership.members
    .filter((member) => isRun(member) || plan.assignment[member.memberId])
    .filter(({ planNumber }) => planNumber < plan.number)
    .map(({ memberId }) => ({ type: 'AnnouncePlan', memberId, planNumber: plan.number }));
}

/**
 * Snapshot standbys: the function is asked for tasks that have worked and were not asked for lately, longest first. Once it was
 * asked for a task after its release there is nothing new to write.
 */
function standbys(state: ApplicationState, resolved: ResolvedPartitions): readonly InvokeStandby[] {
  const { snapshotIntervalMs, sessionTimeoutMs } = state.app.settings;
  if (!hasSnapshotStandbys(state.app.settings)) return [];
  const worked = new Set(state.leases.map(({ taskId }) => taskId));
  const ageOf = (taskId: TaskId): number => state.standbyAges.get(taskId) ?? Number.MAX_SAFE_INTEGER;
  const isUpToDate = (taskId: TaskId): boolean => ageOf(taskId) <= (state.releasedAges.get(taskId) ?? 0);
  const intervalOf = (taskId: TaskId): number =>
    isUpToDate(taskId) ? Math.max(snapshotIntervalMs, STANDBY_INTERVAL_ASLEEP_MS) : snapshotIntervalMs;
  const due = resolved.tasks
    .filter(({ changelogs }) => changelogs.length > 0)
    .map(({ taskId }) => taskId)
    .filter((taskId) => worked.has(taskId) && ageOf(taskId) >= intervalOf(taskId))
    .sort((a, b) => ageOf(b) - ageOf(a) || compareTaskIds(a, b));
  const groups = Math.min(Math.ceil(due.length / MAX_TASKS_PER_STANDBY), MAX_STANDBY_INVOCATIONS);
  return Array.from({ length: groups }, (_, group) => ({
    type: 'InvokeStandby',
    taskIds: due.slice(group * MAX_TASKS_PER_STANDBY, (group + 1) * MAX_TASKS_PER_STANDBY),
    expiresAtMs: state.nowMs + Math.max(snapshotIntervalMs, sessionTimeoutMs),
  }));
}
