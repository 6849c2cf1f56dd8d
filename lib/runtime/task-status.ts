import type { StorePosition } from '../leases/records.js';
import type { CommittedOffset } from '../log/log.js';
import type { TaskId } from '../model/task-id.js';
import type { TopicPartitionKey } from '../model/topic-partition.js';
import type { TaskState } from '../topology/listeners.js';

/** Where a run of a task stands (run-task.ts has the picture). */
export type TaskPhase = TaskState;

/** When a run of a task had what it needs. */
export interface StartMarks {
  /** The producer was initialised, and the lease looked at again. */
  fencedMs: number | null;
  /** The stores were restored, and processing began. */
  restoredMs: number | null;
  firstCommitMs: number | null;
}

/** What a running task tells its member; written by the task alone. */
export class TaskStatus {
  readonly taskId: TaskId;
  phase: TaskPhase = 'fencing';
  /** Input records whose transaction was committed. */
  recordsCommitted = 0;
  /** Commits that have taken effect, of whatever: records, punctuations, offsets alone. */
  commits = 0;
  /** Wall clock of the last of them, in milliseconds; null before the first. */
  committedAtMs: number | null = null;
  /** Monotonic milliseconds at which the lease was taken. */
  readonly takenAtMs: number;
  /** For how long the task had been granted and was not to be had, in milliseconds. */
  readonly waitedMs: number;
  /** Monotonic milliseconds of the last moment at which there was work. */
  activeAtMs: number;
  /** Monotonic milliseconds at which it last processed something; −∞: nothing yet, though it may have begun and committed. */
  workedAtMs = Number.NEGATIVE_INFINITY;
  /** Confirmed positions of the task's stores. */
  positions: readonly StorePosition[] = [];
  /** Records that wait in the inputs beyond what is committed; null: not known yet. */
  lagRecords: number | null = null;
  /** Bytes of keys and values read from the inputs. */
  bytesRead = 0;
  /** Milliseconds spent processing. */
  busyMs = 0;
  /** Next offsets of the inputs, as last committed by this run. */
  committed: ReadonlyMap<TopicPartitionKey, CommittedOffset> = new Map();

  /** Monotonic milliseconds at which the run came so far; null: not yet. */
  readonly marks: StartMarks = { fencedMs: null, restoredMs: null, firstCommitMs: null };
  /** Changelog records applied while restoring, over all attempts of the run. */
  restoredRecords = 0;
  /** What the stores began with (`LoadMode`), over all attempts of the run. */
  readonly restoredFrom = new Set<string>();

  constructor(taskId: TaskId, monotonicMs: number, waitedMs = 0) {
    this.taskId = taskId;
    this.takenAtMs = monotonicMs;
    this.waitedMs = waitedMs;
    this.activeAtMs = monotonicMs;
  }
}
