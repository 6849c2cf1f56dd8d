/**
 * The lines about how a run of a task came to process: `task-running` when it does, `task-resumed` with its first commit. With
 * `task-released` of who had the task before (the lease epoch before this one) they tell what a move or a failover took, and
 * which step took longest; the table of history keeps the same (start-records.ts).
 */
import type { Incarnation } from '../leases/records.js';
import type { TaskRun } from './task-run.js';

/** Fields of both lines. Times are milliseconds since the lease was taken. */
export interface StartFields {
  readonly leaseEpoch: number;
  /** Whose lease it was: one that is dead, or an earlier incarnation of this slot. Null: it was free. */
  readonly from: Incarnation | null;
  /** Wall clock at which the owner before has released it; null: it has not, or is not known to have. */
  readonly releasedAtMs: number | null;
  /** For how long the member had found the task granted and not yet to be had. */
  readonly waitedMs: number;
  readonly fencedAfterMs: number;
  readonly restoredAfterMs: number;
  readonly restoredRecords: number;
  /** What the stores began with; `memory` alone: a copy, or what this process had kept. Without stores empty. */
  readonly restoredFrom: readonly string[];
  /** Of `task-resumed` alone. */
  readonly firstCommitAfterMs?: number;
}

export function logRunning(run: TaskRun): void {
  run.logger.info('task-running', { ...startFields(run) });
}

export function logResumed(run: TaskRun): void {
  run.logger.info('task-resumed', { ...startFields(run) });
}

function startFields({ hold, previous, status }: TaskRun): StartFields {
  const { marks, takenAtMs, restoredRecords, restoredFrom, waitedMs } = status;
  const after = (ms: number | null) => Math.round((ms ?? takenAtMs) - takenAtMs);
  return {
    leaseEpoch: hold.epoch,
    from: previous?.owner ?? null,
    releasedAtMs: previous?.releasedAtMs ?? null,
    waitedMs: Math.round(waitedMs),
    fencedAfterMs: after(marks.fencedMs),
    restoredAfterMs: after(marks.restoredMs),
    restoredRecords,
    restoredFrom: [...restoredFrom],
    ...(marks.firstCommitMs === null ? {} : { firstCommitAfterMs: after(marks.firstCommitMs) }),
  };
}
