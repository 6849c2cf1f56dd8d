/**
 * Runs one task under its lease, from taking over to handing back.
 *
 * ```
 *   fencing ──▶ restoring ──▶ running ──▶ closing ──▶ ended
 *      ▲            │            │           │
 *      └────────────┴─ recovering┴───────────┘      any error: the session is thrown away, another is opened
 * ```
 *
 * Invariants (docs/design.md §4; S1 to S6 of open-session.ts say what a session does)
 *   T1  after any failed or timed-out send or commit the outcome is unknown: the session ends, the lease is looked at, a new
 *       producer is initialised, what was not committed is dropped, and the changelog is replayed from the confirmed position
 *   T2  fenced and the lease gone: nothing is committed or released; fenced and the lease still ours: a new lease epoch first
 *   T3  the run never returns with a transaction open, unless it was fenced or has lost its slot: then the successor's
 *       initialisation ends it
 *   T4  a run that ends cleanly releases the lease with the offsets that are committed, and only then keeps its stores
 *   T5  errors in a row without a commit are bounded, with growing pauses
 *   T6  no member runs on with the lease of a task that it does not run: the plan could give the task to somebody who then waited in vain
 */
import type { Incarnation, Lease } from '../leases/records.js';
import { isPromise } from '../model/awaitable.js';
import { AbortedError, asStreamsError, type StreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { ByteStore } from '../state/byte-store.js';
import { RefusedRecords } from '../task/refused-records.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import { type EventListener, observedLogger } from './events.js';
import { KeptStores } from './kept-stores.js';
import { LeaseHold } from './lease-hold.js';
import { enter } from './listening.js';
import type { MemberRestores } from './member-restores.js';
import { openSession } from './open-session.js';
import type { RuntimePorts } from './ports.js';
import { recoveryFrom } from './recovery.js';
import { committedOffsets, giveUp, recordOf, wallMs } from './release.js';
import { SessionLoop } from './session-loop.js';
import type { Stop, StopReason } from './stop.js';
import { backOff, closeQuietly, type TaskRun } from './task-run.js';
import { keepStores, readPositions, type TaskSession } from './task-session.js';
import { TaskStatus } from './task-status.js';

export interface RunTaskOptions {
  readonly app: StreamsApp;
  readonly ports: RuntimePorts;
  readonly task: TaskSpec;
  /** Partition counts by name on the broker, of every topic that the task may write. */
  readonly partitionCounts: ReadonlyMap<string, number>;
  /** Ids of the topics that the task reads, by name on the broker. */
  readonly topicIds: ReadonlyMap<string, string>;
  readonly owner: Incarnation;
  /** The lease as `owner` has just taken it. */
  readonly lease: Lease;
  /** The lease as it was before; null if there was none. */
  readonly previous: Lease | null;
  readonly stop: Stop;
  readonly kept?: KeptStores;
  /** By name, loaded; absent: the topology has none. */
  readonly globalStores?: ReadonlyMap<string, ByteStore>;
  readonly status?: TaskStatus;
  /** Of its member; absent: nothing limits how it restores. */
  readonly restores?: MemberRestores;
  readonly onEvent?: EventListener;
}

export interface TaskOutcome {
  readonly taskId: TaskId;
  /**
   * `released` the lease is free again · `migrated` it belongs to somebody else · `left` the slot is lost, the lease was left
   * alone · `failed` an error that trying again does not mend; the lease was released.
   */
  readonly ended: 'released' | 'migrated' | 'left' | 'failed';
  /** Why it was asked to stop; null if nobody asked. */
  readonly reason: StopReason | null;
  readonly recordsCommitted: number;
  /** What made it fail or migrate; null if nothing did. */
  readonly error: StreamsError | null;
}

/**
 * Runs the task until it is asked to stop, loses its lease, or fails. Never throws; errors are in the outcome.
 */
export async function runTask(options: RunTaskOptions): Promise<TaskOutcome> {
  const run = startRun(options);
  run.logger.info('task-taken', { leaseEpoch: run.hold.epoch });
  const outcome = await runSessions(run);
  enter(run, 'ended');
  const { ended, reason, recordsCommitted, error } = outcome;
  const fields = {
    leaseEpoch: run.hold.epoch,
    reason,
    recordsCommitted,
    ...(run.status.committedAtMs === null ? {} : { committedAtMs: run.status.committedAtMs }),
    ...(error === null ? {} : { code: error.code, message: error.message, details: error.details }),
  };
  if (ended !== 'failed') run.logger.info(`task-${ended}`, fields);
  else if (error === null) run.logger.info('task-failed', fields);
  else run.logger.error('task-failed', fields, error);
  return outcome;
}

function startRun(options: RunTaskOptions): TaskRun {
  const { app, ports, task, partitionCounts, topicIds, owner, lease, previous, stop } = options;
  return {
    app,
    ports,
    task,
    partitionCounts,
    topicIds,
    hold: new LeaseHold(ports.leases, owner, lease),
    stop,
    kept: options.kept ?? new KeptStores(),
    globalStores: options.globalStores ?? new Map(),
    status: options.status ?? new TaskStatus(task.taskId, ports.host.clock.monotonic()),
    previous,
    logger: observedLogger(ports.host.logger, options.onEvent).child({ taskId: task.taskId, ...owner }),
    recorded: previous?.offsets ?? null,
    punctuations: previous?.owner === null ? (previous.punctuations ?? []) : [],
    recordedAreFresh: previous !== null && previous.owner === null,
    refused: new RefusedRecords(),
    restores: options.restores,
    restorer: owner.memberId,
    unlogged: new Map(),
  };
}

/** Sessions in a row, until the run ends. The loop ends: recoveries without a commit in between are bounded (T5). */
async function runSessions(run: TaskRun): Promise<TaskOutcome> {
  let attempts = 0;
  let commitsBefore = 0;
  let firstFailureMs = 0;
  while (true) {
    const { learned } = run.refused;
    const failure = await runSession(run);
    if (failure === null) return end(run, run.stop.reason === 'lost' ? 'left' : 'released', null);
    if (isDead(run, failure)) return end(run, 'left', null);
    if (run.status.commits > commitsBefore) attempts = 0;
    commitsBefore = run.status.commits;
    attempts += 1;
    const nowMs = run.ports.host.clock.monotonic();
    if (attempts === 1) firstFailureMs = nowMs;
    enter(run, 'recovering');
    const hasLearned = run.refused.learned > learned;
    const ended = await recover(run, { failure, attempts, elapsedMs: nowMs - firstFailureMs, hasLearned });
    if (ended !== null) return end(run, ended, failure);
  }
}

/** One session to its end. @returns null if the lease was given up or left cleanly, else what ended the session */
async function runSession(run: TaskRun): Promise<StreamsError | null> {
  let session: TaskSession;
  try {
    session = await openSession(run);
  } catch (thrown) {
    return stoppedWhileOpening(run, asStreamsError(thrown));
  }
  const loop = new SessionLoop(session);
  try {
    await loop.run();
    if (run.stop.reason === 'lost') {
      await dropSession(session, loop);
      return null;
    }
    enter(run, 'closing');
    await loop.finish();
    await handBack(session);
    await loop.quiesce();
    return null;
  } catch (thrown) {
    await dropSession(session, loop);
    return run.stop.reason === 'lost' ? null : asStreamsError(thrown);
  }
}

/** A run asked to stop before its session was open has nothing to commit: it gives the lease back. */
async function stoppedWhileOpening(run: TaskRun, error: StreamsError): Promise<StreamsError | null> {
  if (run.stop.reason === 'lost') return null;
  if (!(error instanceof AbortedError) || run.stop.reason === null) return error;
  try {
    await run.hold.release(wallMs(run), await committedOffsets(run), run.punctuations);
    return null;
  } catch (thrown) {
    return asStreamsError(thrown);
  }
}

/** T4: closes, releases with the committed offsets, keeps the stores for the next run in this process. */
async function handBack(session: TaskSession): Promise<void> {
  const { run, stores, task } = session;
  const { punctuations } = task;
  await closeProcessors(session);
  await session.producer.close();
  const confirm = await readPositions(session);
  const released = await run.hold.release(wallMs(run), recordOf(run, session.committed), punctuations);
  if (!released) {
    run.logger.info('release-refused', { leaseEpoch: run.hold.epoch });
    return;
  }
  confirm(); // the lease was ours until now, after the ends were read: see confirmPositions
  keepStores(run, stores);
}

/** Ends a session without committing; its stores go back to what is committed. Nothing here may hide why it ended. */
async function dropSession(session: TaskSession, loop: SessionLoop): Promise<void> {
  const { run, producer, stores } = session;
  await loop.quiesce();
  await closeProcessors(session); // before the stores are kept: users' `close` may still write to them
  keepStores(run, stores);
  await closeQuietly(run, producer);
}

/** What users' `close` throws can not undo what was committed: it is logged. */
async function closeProcessors({ run, task }: TaskSession): Promise<void> {
  try {
    const closing = task.close();
    if (isPromise(closing)) await closing;
  } catch (thrown) {
    run.logger.warn('close-failed', { message: asStreamsError(thrown).message });
  }
}

/** A session that ended with an error. */
interface FailedSession {
  readonly failure: StreamsError;
  readonly attempts: number;
  /** Since the first error after the last commit. */
  readonly elapsedMs: number;
  /** Whether it was told of records that their topic does not take. */
  readonly hasLearned: boolean;
}

/** @returns how the run ends; null: open another session */
async function recover(
  run: TaskRun,
  { failure, attempts, elapsedMs, hasLearned }: FailedSession,
): Promise<TaskOutcome['ended'] | null> {
  const { taskTimeoutMs } = run.app.settings;
  const todo = recoveryFrom(failure, attempts, { elapsedMs, taskTimeoutMs, hasLearned });
  if (todo === 'migrated') return 'migrated';
  if (todo === 'fail') return giveUp(run);
  run.logger.warn('task-recovering', {
    code: failure.code,
    message: failure.message,
    attempts,
    details: failure.details,
  });
  if (todo === 'again-from-scratch') forgetStores(run);
  try {
    if (attempts > 1 && !hasLearned && run.stop.reason === null) await backOff(run, attempts - 1, run.stop.signal);
    if (todo === 'new-epoch') await run.hold.takeNewEpoch();
    else await run.hold.assertOurs();
    return null;
  } catch (thrown) {
    const error = asStreamsError(thrown);
    if (error.code === 'STREAMS_TASK_MIGRATED') return 'migrated';
    return error.kind === 'transient' ? null : 'left'; // the next session looks at the lease again (S2)
  }
}

function forgetStores(run: TaskRun): void {
  for (const { store } of run.task.changelogs) run.kept.take(run.task.taskId, store);
}

/** A process that has died learns it from its ports: every call is aborted although nobody asked the task to stop. */
function isDead(run: TaskRun, error: StreamsError): boolean {
  return error instanceof AbortedError && run.stop.reason === null;
}

function end(run: TaskRun, ended: TaskOutcome['ended'], error: StreamsError | null): TaskOutcome {
  return {
    taskId: run.task.taskId,
    ended,
    reason: run.stop.reason,
    recordsCommitted: run.status.recordsCommitted,
    error,
  };
}
