import { isPromise } from '../model/awaitable.js';
import { asStreamsError } from '../model/errors.js';
import type { TaskOutput } from '../task/task-output.js';
import type { CommitPipeline } from './commit-pipeline.js';
import { logResumed } from './start-lines.js';
import type { TaskSession } from './task-session.js';
import { commitTransaction, type Transaction } from './transaction.js';

/**
 * Seals what the task did and starts its commit.
 *
 * @param keepAll whether offsets that have not moved are committed again as well, so that they do not expire
 */
export async function beginCommit(session: TaskSession, pipeline: CommitPipeline, keepAll: boolean): Promise<void> {
  const sealing = session.task.seal();
  const output = isPromise(sealing) ? await sealing : sealing;
  reportDropped(session, output);
  const { run, producer, committed, task } = session;
  const { punctuations } = task;
  const transaction: Transaction = {
    producer,
    guarantee: run.app.settings.processingGuarantee,
    groupId: run.app.applicationId,
    records: [output.outputs, output.changelogs],
    offsets: keepAll ? new Map([...committed, ...output.offsets]) : output.offsets,
    stop: run.stop,
    refused: (set, indexes, { topic }) => {
      // Of a changelog nothing may be left out: the store has it.
      if (![...output.outputs.values()].includes(set)) return;
      for (const index of indexes) run.refused.add(topic, set, index);
    },
  };
  pipeline.begin(committing(session, transaction), () => {
    merge(session, output);
    run.punctuations = punctuations;
  });
}

async function committing(session: TaskSession, transaction: Transaction): Promise<void> {
  try {
    await commitTransaction(transaction);
  } catch (thrown) {
    reportFailure(session, thrown);
    throw thrown;
  }
}

function merge(session: TaskSession, output: TaskOutput): void {
  const { run, committed, allStores } = session;
  for (const store of allStores.values()) store.commit();
  for (const [key, offset] of output.offsets) committed.set(key, offset);
  run.status.commits += 1;
  run.status.committedAtMs = run.ports.host.clock.now();
  run.refused.forget();
  run.status.recordsCommitted += output.recordsProcessed;
  run.status.activeAtMs = run.ports.host.clock.monotonic();
  const isFirst = run.status.marks.firstCommitMs === null;
  run.status.marks.firstCommitMs ??= run.status.activeAtMs;
  if (isFirst) logResumed(run);
  if (output.recordsProcessed > 0) {
    run.ports.host.metrics.count('records-processed', output.recordsProcessed, { task: run.task.taskId });
  }
}

/** What tells a zombie's rejected commit from a commit whose fate is unknown, with the epochs that decide. */
function reportFailure({ run, producer }: TaskSession, thrown: unknown): void {
  const error = asStreamsError(thrown);
  const event =
    error.kind === 'fenced'
      ? 'commit-rejected'
      : error.code === 'STREAMS_UNKNOWN_OUTCOME'
        ? 'commit-outcome-unknown'
        : 'commit-failed';
  run.logger.warn(event, {
    code: error.code,
    message: error.message,
    producerId: producer.producerId,
    producerEpoch: producer.epoch,
    leaseEpoch: run.hold.epoch,
  });
  run.ports.host.metrics.count(event, 1, { task: run.task.taskId });
}

function reportDropped({ run }: TaskSession, output: TaskOutput): void {
  for (const { reason, count, last } of output.dropped) {
    run.logger.warn('records-dropped', { reason, count, ...last });
    run.ports.host.metrics.count('dropped-records', count, { task: run.task.taskId, reason });
  }
}
