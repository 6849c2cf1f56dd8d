/**
 * The loop of a running session: fetch, process, commit, until asked to stop.
 *
 * Invariants
 *   L1  a commit begins at most `commitIntervalMs` after the first thing that needs one, earlier when much is pending; the first of a run at
 *       once: whoever waits for a task that has moved, or whose owner has died, waits for nothing more
 *   L2  while a commit is in flight the next records are processed in a second overlay, never a third (commit-pipeline.ts)
 *   L3  whatever looks at the images or at committed offsets (positions, snapshots, trimming) runs between commits
 *   L4  every turn ends: processing is bounded in records, waits in time
 */
import { isPromise } from '../model/awaitable.js';
import { AbortedError, asStreamsError, type StreamsError } from '../model/errors.js';
import { Breather } from './breather.js';
import { CommitPipeline } from './commit-pipeline.js';
import { Housekeeping } from './housekeeping.js';
import { backoffMs } from './recovery.js';
import { beginCommit } from './session-commit.js';
import type { TaskSession } from './task-session.js';

/** Records processed before the loop looks at time, commits and requests to stop again. */
const SLICE_RECORDS = 1_000;
/** Bytes pending at which a commit begins before its time. */
const COMMIT_EARLY_BYTES = 4 * 1024 * 1024;
/** Bytes pending behind a commit in flight at which processing waits for it. */
const PENDING_BYTES_MAX = 2 * COMMIT_EARLY_BYTES;
/** How long to wait where records are queued but none may be processed yet. */
const HELD_BACK_WAIT_MS = 10;
/** Fetches that may fail in a row before the session ends. */
const FETCH_FAILURES_MAX = 5;

export class SessionLoop {
  private readonly session: TaskSession;
  private readonly pipeline = new CommitPipeline();
  private readonly housekeeping: Housekeeping;
  private readonly breather: Breather;
  private dirtySinceMs: number | null = null;
  private fetchFailures = 0;

  constructor(session: TaskSession) {
    this.session = session;
    this.housekeeping = new Housekeeping(session);
    this.breather = new Breather(session.run.ports.host.clock);
  }

  /** Runs until the run is asked to stop, with nothing in flight when it returns. @throws whatever ends the session */
  async run(): Promise<void> {
    const { stop } = this.session.run;
    while (stop.reason === null) await this.turn();
    if (stop.reason !== 'lost') await this.pipeline.settle();
  }

  /** Waits until nothing of this session is on its way to the outside any more. Never throws. */
  async quiesce(): Promise<void> {
    await this.pipeline.decided();
    await this.housekeeping.settled();
  }

  /** Commits what is left, offsets that have to be kept included. Call it after {@link run}. */
  async finish(): Promise<void> {
    if (this.session.task.hasUncommitted || this.housekeeping.mustKeepOffsets) {
      await this.commit();
      await this.pipeline.settle();
    }
    await this.housekeeping.finish();
  }

  private async turn(): Promise<void> {
    this.pipeline.settleIfDecided();
    if (this.pipeline.isFree) {
      await this.housekeeping.turn();
      if (this.session.run.stop.reason === 'lost') return; // housekeeping may have waited for a table until then
      if (this.isCommitDue()) await this.commit();
    } else if (this.isCommitDue() && this.session.task.pendingBytes >= PENDING_BYTES_MAX) {
      await this.pipeline.settle();
      return;
    }
    const done = await this.work();
    if (done > 0) this.worked();
    if (done < SLICE_RECORDS) await this.read(done > 0);
    await this.breather.turn();
  }

  private worked(): void {
    const { status } = this.session.run;
    status.activeAtMs = this.monotonicMs();
    status.workedAtMs = status.activeAtMs;
  }

  /** Processes a slice and the wall-clock punctuations that are due. @returns how much there was to do */
  private async work(): Promise<number> {
    const { task, run } = this.session;
    const nowMs = run.ports.host.clock.now();
    const startedMs = this.monotonicMs();
    const processed = task.process(nowMs, SLICE_RECORDS);
    let done = isPromise(processed) ? await processed : processed;
    const dueMs = task.nextPunctuationMs;
    if (dueMs !== null && dueMs <= nowMs) {
      const punctuated = task.punctuate(nowMs);
      done += isPromise(punctuated) ? await punctuated : punctuated;
    }
    if (done > 0) run.status.busyMs += this.monotonicMs() - startedMs;
    if (this.dirtySinceMs === null && task.hasUncommitted) this.dirtySinceMs = this.monotonicMs();
    return done;
  }

  private async read(worked: boolean): Promise<void> {
    const { task, reader, run } = this.session;
    const { clock } = run.ports.host;
    if (!worked && !this.pipeline.isFree && this.isCommitDue()) return this.pipeline.decided(); // nothing better to do
    const waitMs = worked ? 0 : this.waitMs();
    try {
      const moved = await this.pipeline.mergingMeanwhile(() => reader.fetchInto(task, waitMs, run.stop.signal));
      this.fetchFailures = 0;
      run.status.lagRecords = reader.lagBehind(this.session.committed);
      run.status.bytesRead += reader.takeBytesRead();
      if (moved === null && !worked) await clock.sleep(Math.min(waitMs, HELD_BACK_WAIT_MS), run.stop.signal);
    } catch (thrown) {
      if (thrown instanceof AbortedError && run.stop.reason !== null) return;
      await this.afterFailedFetch(asStreamsError(thrown));
    }
  }

  /** A read that failed leaves nothing unknown: it is tried again a few times before the session is given up for it. */
  private async afterFailedFetch(error: StreamsError): Promise<void> {
    const { run } = this.session;
    const { clock, random } = run.ports.host;
    this.fetchFailures += 1;
    const isPassing = error.kind === 'transient' && !(error instanceof AbortedError);
    if (!isPassing || this.fetchFailures > FETCH_FAILURES_MAX) throw error;
    run.logger.warn('fetch-failed', { code: error.code, message: error.message, failures: this.fetchFailures });
    await clock.sleep(backoffMs(this.fetchFailures, random.next()));
  }

  /** How long the next fetch may wait: until the next commit or punctuation, at most `pollMs`. */
  private waitMs(): number {
    const { task, run } = this.session;
    let waitMs = run.app.settings.pollMs;
    if (this.dirtySinceMs !== null) {
      waitMs = Math.min(waitMs, this.dirtySinceMs + run.app.settings.commitIntervalMs - this.monotonicMs());
    }
    const dueMs = task.nextPunctuationMs;
    if (dueMs !== null) waitMs = Math.min(waitMs, dueMs - run.ports.host.clock.now());
    return Math.max(0, waitMs);
  }

  private isCommitDue(): boolean {
    const { task, run } = this.session;
    if (this.housekeeping.mustKeepOffsetsNow) return true;
    if (this.dirtySinceMs === null) return false;
    if (task.pendingBytes >= COMMIT_EARLY_BYTES || run.status.marks.firstCommitMs === null) return true;
    return this.monotonicMs() - this.dirtySinceMs >= run.app.settings.commitIntervalMs;
  }

  private async commit(): Promise<void> {
    const keepAll = this.housekeeping.mustKeepOffsets;
    this.dirtySinceMs = null;
    await beginCommit(this.session, this.pipeline, keepAll);
    if (keepAll) this.housekeeping.offsetsWereKept();
  }

  private monotonicMs(): number {
    return this.session.run.ports.host.clock.monotonic();
  }
}
