/**
 * One session of a task: from an initialised producer to its end. An error ends the session, never the run: run-task.ts then
 * opens another.
 */
import type { TopicIds } from '../leases/records.js';
import type { CommittedOffset, TransactionalProducer } from '../log/log.js';
import type { Offset } from '../model/offset.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { TransactionalStore } from '../state/byte-store.js';
import type { StreamTask } from '../task/stream-task.js';
import type { InputReader } from './input-reader.js';
import type { TaskRun } from './task-run.js';

/** A logged store of a running task. Its overlays hold what is not committed; the image is what `position` speaks of. */
export interface SessionStore {
  readonly name: string;
  readonly store: TransactionalStore;
  readonly changelog: TopicPartition;
  /** Whether the changelog is a topic of its own; false: a source topic is read again instead. */
  readonly ownChangelog: boolean;
  readonly topicId: string;
  /** Confirmed: the image holds every committed record below it (K1, K2 of kept-stores.ts). */
  position: Offset;
  /** Wall clock at which `position` was last known to be the end. */
  atEndMs: number;
  /** Where the newest snapshot stands, as far as is known; the log's start if there is none. */
  snapshotOffset: Offset;
}

export interface TaskSession {
  readonly run: TaskRun;
  readonly producer: TransactionalProducer;
  readonly task: StreamTask;
  /** The topics that the session reads and writes: of any other life of theirs it knows nothing. */
  readonly topicIds: TopicIds;
  readonly reader: InputReader;
  /** Logged stores. */
  readonly stores: readonly SessionStore[];
  /** All stores by name, those without a changelog included. */
  readonly allStores: ReadonlyMap<string, TransactionalStore>;
  /** Last committed offset of each input. */
  readonly committed: Map<TopicPartitionKey, CommittedOffset>;
}

/** Drops what is not committed and keeps the rest for the next session or the next run in this process. */
export function keepStores(run: Pick<TaskRun, 'kept' | 'task' | 'unlogged'>, stores: readonly SessionStore[]): void {
  for (const store of run.unlogged.values()) store.rollback();
  for (const { store, topicId, position, atEndMs, snapshotOffset } of stores) {
    store.rollback();
    run.kept.keep({ taskId: run.task.taskId, store, topicId, nextOffset: position, atEndMs, snapshotOffset });
  }
}

/**
 * Finds out up to where the changelogs are in the images. Call it between commits.
 *
 * Any other writer of these changelogs holds a later epoch of the lease. So if the lease is ours *after* the ends were read,
 * everything below them was written by us, committed, and merged.
 *
 * @throws {TaskMigratedError} STREAMS_TASK_MIGRATED
 */
export async function confirmPositions(session: TaskSession): Promise<void> {
  const { run, stores } = session;
  if (stores.length === 0) return;
  const confirm = await readPositions(session);
  await run.hold.assertOurs();
  confirm();
}

/** Reads the ends of the changelogs; the function answered makes them the confirmed positions. */
export async function readPositions(session: TaskSession): Promise<() => void> {
  const { run, stores, committed } = session;
  const nowMs = run.ports.host.clock.now();
  const own = stores.filter((store) => store.ownChangelog).map((store) => store.changelog);
  const ends =
    own.length === 0 ? new Map<TopicPartitionKey, Offset>() : await run.ports.log.listOffsets(own, 'lastStable');
  return () => {
    for (const store of stores) {
      const key = topicPartitionKey(store.changelog);
      const end = store.ownChangelog ? ends.get(key) : committed.get(key)?.nextOffset;
      if (end === undefined || end < store.position) continue;
      store.position = end;
      store.atEndMs = nowMs;
    }
    reportPositions(run, stores);
  };
}

/** Puts the confirmed positions where the member's report takes them from. */
export function reportPositions({ status, task }: TaskRun, stores: readonly SessionStore[]): void {
  status.positions = stores.map(({ name, position }) => ({
    taskId: task.taskId,
    store: name,
    nextOffset: position,
    endOffset: position,
  }));
}
