/**
 * Writes down how tasks started, for people to read (leases/history.ts): one write per start, off the way of records.
 *
 * Invariants
 *   S1  a start is written once: with its first commit; where there was nothing to commit for {@link COMMIT_PATIENCE_MS} after it was
 *       ready, without; and with what there was when the run ended before that
 *   S2  nothing waits for the writes but the end of the member, with its slot free already; one that fails is logged and missing,
 *       with those that waited behind it
 *   S3  at most {@link STARTS_PENDING_MAX} wait to be written, of more the oldest are missing
 */
import type { Logger } from '../host/host.js';
import type { HistoryTable, TaskStart } from '../leases/history.js';
import type { Incarnation, Lease } from '../leases/records.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { TaskStatus } from './task-status.js';

/** How long after a task was ready its first commit is waited for. */
export const COMMIT_PATIENCE_MS = 10_000;
/** Starts that wait to be written. */
export const STARTS_PENDING_MAX = 1_000;

/** A start as it began. */
export interface BegunStart {
  /** As it was taken. */
  readonly lease: Lease;
  /** As it was before; null: there was none. */
  readonly previous: Lease | null;
  readonly planNumber: number;
  /** Wall clock at the take. */
  readonly takenAtMs: number;
  /** Monotonic clock at the take. */
  readonly takenMonotonicMs: number;
  readonly status: TaskStatus;
}

export class StartRecords {
  private readonly owner: Incarnation;
  private readonly table: Pick<HistoryTable, 'keepStart'>;
  private readonly logger: Logger;
  private readonly begun = new Map<TaskId, BegunStart>();
  private readonly due: TaskStart[] = [];
  private writing: Promise<void> | null = null;

  constructor(owner: Incarnation, table: Pick<HistoryTable, 'keepStart'>, logger: Logger) {
    this.owner = owner;
    this.table = table;
    this.logger = logger;
  }

  begin(start: BegunStart): void {
    this.begun.set(start.lease.taskId, start);
  }

  /** Has the starts written that are complete. */
  turn(nowMonotonicMs: number): void {
    for (const [taskId, { status }] of this.begun) {
      const { restoredMs, firstCommitMs } = status.marks;
      const isTired = restoredMs !== null && nowMonotonicMs - restoredMs >= COMMIT_PATIENCE_MS;
      if (firstCommitMs !== null || isTired) this.ended(taskId);
    }
    this.write();
  }

  /** The run of a task has ended: there is nothing more to come. */
  ended(taskId: TaskId): void {
    const start = this.begun.get(taskId);
    if (start === undefined) return;
    this.begun.delete(taskId);
    this.due.push(asRecord(this.owner, start));
    if (this.due.length > STARTS_PENDING_MAX) this.due.shift();
  }

  /** Waits until all that has ended is written. @throws {AbortedError} STREAMS_ABORTED of a process that has died */
  async finish(): Promise<void> {
    this.write();
    await this.writing;
  }

  private write(): void {
    if (this.writing !== null || this.due.length === 0) return;
    this.writing = this.writeDue().finally(() => {
      this.writing = null;
    });
    this.writing.catch(() => {}); // a dead process: whoever finishes hears of it
  }

  private async writeDue(): Promise<void> {
    for (let start = this.due.shift(); start !== undefined; start = this.due.shift()) {
      try {
        await this.table.keepStart(start);
      } catch (thrown) {
        if (thrown instanceof AbortedError) throw thrown;
        const { code, message } = asStreamsError(thrown);
        this.logger.warn('history-not-kept', { entry: 'start', starts: 1 + this.due.length, code, message });
        this.due.length = 0; // the table is away: each of them would wait as long
      }
    }
  }
}

function asRecord(owner: Incarnation, { lease, previous, planNumber, takenAtMs, ...start }: BegunStart): TaskStart {
  const { marks, restoredRecords } = start.status;
  const after = (ms: number | null) => (ms === null ? null : ms - start.takenMonotonicMs);
  return {
    taskId: lease.taskId,
    leaseEpoch: lease.epoch,
    owner,
    from: previous?.owner ?? null,
    releasedAtMs: previous?.releasedAtMs ?? null,
    planNumber,
    takenAtMs,
    fencedAfterMs: after(marks.fencedMs),
    restoredAfterMs: after(marks.restoredMs),
    restoredRecords,
    firstCommitAfterMs: after(marks.firstCommitMs),
  };
}
