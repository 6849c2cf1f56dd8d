/**
 * What an application may hear of its tasks while they run, embedded and deployed alike. Kafka: `StateListener`, `StateRestoreListener`.
 *
 * A listener is called as things happen, in the process of the task: it should note and return. What it throws is logged, nothing else.
 */
import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { TaskId } from '../model/task-id.js';

/**
 * `fencing` its predecessor is shut out · `restoring` its stores are filled · `waiting-to-restore` for its turn, as long as
 * `maxConcurrentRestores` others restore · `running` · `recovering` after an error that another
 * session may mend · `closing` it hands back · `ended`
 */
export type TaskState = 'fencing' | 'waiting-to-restore' | 'restoring' | 'running' | 'recovering' | 'closing' | 'ended';

/** The restore of one store of a task that is about to run. */
export interface RestoreProgress {
  readonly taskId: TaskId;
  readonly store: string;
  /** The changelog partition. */
  readonly topic: string;
  readonly partition: number;
  /** First offset that is read (inclusive): what a snapshot or this process already held is not read again. */
  readonly fromOffset: number;
  /** Where the restore ends (exclusive). */
  readonly endOffset: number;
  /** First offset not applied yet. */
  readonly nextOffset: number;
  /** Records applied so far. */
  readonly records: number;
}

export interface StreamsListeners {
  /** A task has come to another state. */
  onTaskState?(change: { readonly taskId: TaskId; readonly state: TaskState; readonly before: TaskState }): void;
  /** A restore begins; it begins anew where what it was read from turns out to be of no use. */
  onRestoreStart?(progress: RestoreProgress): void;
  /** More of the changelog was applied. */
  onBatchRestored?(progress: RestoreProgress): void;
  onRestoreEnd?(progress: RestoreProgress): void;
}

const NAMES: readonly string[] = ['onTaskState', 'onRestoreStart', 'onBatchRestored', 'onRestoreEnd'];

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what is no listener */
export function checkListeners(listeners: StreamsListeners): void {
  for (const [name, listener] of Object.entries(listeners)) {
    if (!NAMES.includes(name))
      throw new TopologyError(`there is no listener '${name}'`, { details: { name, known: NAMES } });
    if (listener !== undefined && typeof listener !== 'function')
      throw new TopologyError(`listener '${name}' is ${kindOfValue(listener)}, a function is wanted`, {
        details: { name },
      });
  }
}
