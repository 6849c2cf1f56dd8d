/**
 * Opens a session of a task. The order of effects is the proof of exactly once (docs/design.md §4); keep it.
 *
 * Invariants
 *   S1  the lease was taken before the producer is initialised
 *   S2  the lease is looked at again after the initialisation, with a consistent read: a stale owner that initialised late, and
 *       so fenced the valid one, finds it gone and stops before it has sent anything
 *   S3  committed offsets are read after S2: what was read before the fence may be rewound, and is never committed
 *   S4  stores are restored after S3, up to a high watermark taken after the fence (restore.ts)
 *   S5  a first start commits where it starts before it processes anything (O4 of start-offsets.ts)
 *   S6  processors, stream time and punctuations are made anew from what is committed: an abort leaves nothing behind
 *   S7  the lease names the topics by their ids before anything is processed (I1 of topic-ids.ts)
 */
import type { TopicIds } from '../leases/records.js';
import type { CommittedOffset, TransactionalProducer } from '../log/log.js';
import { isPromise } from '../model/awaitable.js';
import { asStreamsError, LostOffsetsError } from '../model/errors.js';
import type { TopicPartitionKey } from '../model/topic-partition.js';
import type { TransactionalStore } from '../state/byte-store.js';
import { createStreamTask } from '../task/create-task.js';
import type { StreamTask } from '../task/stream-task.js';
import { InputReader } from './input-reader.js';
import { enter } from './listening.js';
import { restoreStores } from './restore.js';
import { logRunning } from './start-lines.js';
import { type StartOffsets, startOffsets } from './start-offsets.js';
import { closeQuietly, type TaskRun, throwIfStopping, transactionalId } from './task-run.js';
import { keepStores, reportPositions, type SessionStore, type TaskSession } from './task-session.js';
import { readTopicIds, refuseOtherChangelogs } from './topic-ids.js';
import { commitTransaction } from './transaction.js';

/**
 * @throws {TaskMigratedError} STREAMS_TASK_MIGRATED · {LostOffsetsError} STREAMS_LOST_OFFSETS · {LostStateError}
 *   STREAMS_LOST_STATE · {RestoreStalledError} STREAMS_RESTORE_STALLED · {AbortedError} STREAMS_ABORTED if the run is asked to stop meanwhile: then nothing is open
 */
export async function openSession(run: TaskRun): Promise<TaskSession> {
  const { app, ports } = run;
  enter(run, 'fencing');
  await run.hold.beReadyToInitialise();
  const producer = await ports.log.initProducer({
    transactionalId: transactionalId(app, run.task.taskId),
    transactionTimeoutMs: app.settings.transactionTimeoutMs,
  });
  try {
    await run.hold.assertOurs();
    throwIfStopping(run);
    return await openFenced(run, producer);
  } catch (error) {
    await closeQuietly(run, producer);
    throw error;
  }
}

async function openFenced(run: TaskRun, producer: TransactionalProducer): Promise<TaskSession> {
  const { start, topicIds } = await readStart(run);
  const stores = await restoreStores(run, start.offsets, topicIds, (state) => enter(run, state));
  try {
    refuseStateWithoutOffsets(run, start, stores);
    if (start.mustCommit) await commitStart(run, producer, start);
    await run.hold.recordTopics(topicIds);
    const allStores = new Map([...run.unlogged, ...stores.map((each) => [each.name, each.store] as const)]);
    const task = await startTask(run, start.offsets, allStores);
    const positions = new Map([...start.offsets].map(([key, { nextOffset }]) => [key, nextOffset]));
    const reader = new InputReader(run.ports.log, run.app.settings, { inputs: task.inputs, topicIds, positions });
    const committed = new Map(start.offsets);
    run.status.committed = committed;
    reportPositions(run, stores);
    const hasRun = run.status.marks.restoredMs !== null;
    enter(run, 'running');
    if (!hasRun) logRunning(run);
    return { run, producer, task, topicIds, reader, stores, allStores, committed };
  } catch (error) {
    keepStores(run, stores);
    throw error;
  }
}

interface SessionStart {
  readonly start: StartOffsets;
  readonly topicIds: TopicIds;
}

/** Where the inputs begin, of which life of their topics: to be asked only after the fence (S3). */
async function readStart(run: TaskRun): Promise<SessionStart> {
  const hasCommitted = run.status.commits > 0; // then offsets that are missing were lost, and those of the release are old
  const topicIds = await readTopicIds(run.ports.log, run.task);
  const lives = { recorded: run.hold.topicIds, current: topicIds };
  const start = await startOffsets({
    app: run.app,
    log: run.ports.log,
    inputs: run.task.inputs,
    recorded: run.recorded ?? (hasCommitted ? {} : null),
    recordedAreFresh: run.recordedAreFresh && !hasCommitted,
    lives,
    nowMs: run.ports.host.clock.now(),
  });
  refuseOtherChangelogs(run.task, lives, start);
  return { start, topicIds };
}

/** Under exactly once a changelog with content proves that offsets were once committed with it (O2 of start-offsets.ts). */
function refuseStateWithoutOffsets(run: TaskRun, start: StartOffsets, stores: readonly SessionStore[]): void {
  if (!start.isFirstStart || run.app.settings.processingGuarantee !== 'exactly_once_v2') return;
  const full = stores.find((each) => each.ownChangelog && each.store.size > 0);
  if (full === undefined) return;
  throw new LostOffsetsError(
    `store ${full.name} has content but no input of ${run.task.taskId} has a committed offset`,
    {
      details: { taskId: run.task.taskId, groupId: run.app.applicationId, changelog: full.changelog.topic },
    },
  );
}

async function commitStart(run: TaskRun, producer: TransactionalProducer, start: StartOffsets): Promise<void> {
  await commitTransaction({
    producer,
    guarantee: run.app.settings.processingGuarantee,
    groupId: run.app.applicationId,
    records: [],
    offsets: start.offsets,
    stop: run.stop,
  });
}

async function startTask(
  run: TaskRun,
  committed: ReadonlyMap<TopicPartitionKey, CommittedOffset>,
  stores: ReadonlyMap<string, TransactionalStore>,
): Promise<StreamTask> {
  const { app, partitionCounts, ports, globalStores } = run;
  const nowMs = ports.host.clock.now();
  const { taskId } = run.task;
  const { punctuations } = run;
  const stateBytes = run.restores?.budget.budgetBytes ?? null;
  const task = createStreamTask({
    app,
    taskId,
    partitionCounts,
    stores,
    globalStores,
    committed,
    nowMs,
    punctuations,
    refused: run.refused,
    ...(stateBytes === null ? {} : { stateBytes }),
    sleep: (ms, signal) => ports.host.clock.sleep(ms, signal),
  });
  try {
    const ready = task.init();
    if (isPromise(ready)) await ready;
    run.punctuations = task.punctuations;
    return task;
  } catch (error) {
    await closeHalfInitialised(run, task); // no code of it that still runs may write to stores that are kept
    throw error;
  }
}

async function closeHalfInitialised({ logger }: TaskRun, task: StreamTask): Promise<void> {
  try {
    await task.close();
  } catch (thrown) {
    logger.warn('close-failed', { message: asStreamsError(thrown).message });
  }
}
