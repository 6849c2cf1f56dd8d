/** How a run gives its lease back with what it has committed, and what one does that has failed for good. */
import type { RecordedOffset, RecordedOffsets } from '../leases/records.js';
import type { OffsetsToCommit } from '../log/log.js';
import { AbortedError, asStreamsError, type StreamsError } from '../model/errors.js';
import { parseTopicPartitionKey } from '../model/topic-partition.js';
import { backOff, type TaskRun, transactionalId } from './task-run.js';

/** The wall clock of the run's process, in milliseconds. */
export function wallMs({ ports }: TaskRun): number {
  return ports.host.clock.now();
}

/** What the group has committed of the run's inputs, for the lease; null: nothing. */
export async function committedOffsets(run: TaskRun): Promise<RecordedOffsets | null> {
  const committed = await run.ports.log.committedOffsets(run.app.applicationId, run.task.inputs);
  return committed.size === 0 ? null : recordOf(run, committed);
}

/** Offsets with the topics' ids: in a topic that is created again they would mean other records. */
export function recordOf({ hold, topicIds }: TaskRun, offsets: OffsetsToCommit): RecordedOffsets {
  const recorded = [...offsets].map(([key, { nextOffset, metadata }]) => {
    const { topic } = parseTopicPartitionKey(key);
    const topicId = hold.topicIds?.[topic] ?? topicIds.get(topic);
    return [key, { nextOffset, metadata, ...(topicId === undefined ? {} : { topicId }) }] as const;
  });
  return Object.fromEntries(recorded) as Record<string, RecordedOffset> as RecordedOffsets;
}

/**
 * T3 and T6 of run-task.ts: ends whatever transaction may be open, then releases; while log or tables are away that is tried again for as
 * long as the member runs.
 */
export async function giveUp(run: TaskRun): Promise<'failed' | 'migrated' | 'left'> {
  for (let attempts = 1; ; attempts += 1) {
    const error = await tryToRelease(run);
    if (error === null) return 'failed';
    if (error.code === 'STREAMS_TASK_MIGRATED') return 'migrated';
    run.logger.warn('release-failed', { code: error.code, message: error.message, attempts });
    if (run.stop.reason === 'lost') return 'left';
    const isNeeded = run.stop.reason === null || run.stop.reason === 'revoked';
    if (error.kind !== 'transient' || error instanceof AbortedError || !isNeeded) return 'failed';
    // Once it is asked to stop, no further request ends the wait, and it is short.
    await backOff(run, attempts, run.stop.reason === null ? run.stop.signal : undefined);
  }
}

/** @returns why it did not come about; null: it did */
async function tryToRelease(run: TaskRun): Promise<StreamsError | null> {
  try {
    await run.hold.assertOurs();
    const { app, task, ports } = run;
    const producer = await ports.log.initProducer({
      transactionalId: transactionalId(app, task.taskId),
      transactionTimeoutMs: app.settings.transactionTimeoutMs,
    });
    await producer.close();
    await run.hold.release(wallMs(run), await committedOffsets(run));
    return null;
  } catch (thrown) {
    return asStreamsError(thrown);
  }
}
