/**
 * What an interrupted restore has come to, kept as snapshots, so that the next one goes on from there.
 *
 * A store in the midst of its restore, at position P of its changelog, is a snapshot like any other, and is named and used like one
 * (decision 24). That is right because
 *
 *   R1  it holds every record below P that the log had when P was passed. What it lacks, the cleaner had taken because of a later
 *       record at or beyond P, below the end of the log as it was then. Whoever begins with it reads on to the end of the log as it is when
 *       they begin (D4 of load-store.ts), and so meets that record
 *   R2  its T is that of what the restore began with, not the time at which it was written: whatever it holds was in the log, or in the
 *       snapshot before it, no earlier than T, so that a delete beyond P is kept by the log for `delete.retention.ms` after T at
 *       least. A chain of interrupted restores has the T of its first
 *   R3  it is written where as much was read since the newest snapshot as makes a snapshot worthwhile, in intervals that grow with what
 *       writing one costs, and once more where the run is asked to stop
 *   R4  one that fails costs a log line
 */
import type { Logger } from '../host/host.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { collectGarbage } from '../snapshots/collect-garbage.js';
import { writeSnapshot } from '../snapshots/write-snapshot.js';
import type { TransactionalStore } from '../state/byte-store.js';
import { LazyStore } from '../state/lazy-store.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { isToLie, isTooMuch, type LazyLoading, lazyContent, lieIn } from './lazy-stores.js';
import { snapshotIdentity } from './load-store.js';
import type { RuntimePorts } from './ports.js';

/** A snapshot in the midst of a restore may take this part of the time. */
const WRITING_PART = 0.1;

/** A store as far as it is restored. */
export interface StoreProgress {
  readonly changelog: TaskChangelog;
  readonly store: TransactionalStore;
  readonly topicId: string;
  /** R2. */
  readonly knownAtMs: number;
  /** P: the image holds what the log had below it. */
  readonly position: Offset;
  /** Where its newest snapshot stands, as far as is known; the log's start if there is none. */
  readonly snapshotOffset: Offset;
}

export interface RestoreProgressInit {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'snapshots' | 'host'>;
  readonly logger: Logger;
  readonly taskId: TaskId;
  /** Who restores, for the reader of names. */
  readonly restorer: string;
  /** How stores lie in snapshots: one that may takes what was written of it from memory. */
  readonly loading: LazyLoading;
}

export class RestoreProgressSnapshots {
  private readonly init: RestoreProgressInit;
  private readonly ended = new AbortController();
  /** One at a time. */
  private writing: Promise<void> | null = null;
  private nextAtMs: number;
  /** By store: where its newest snapshot of this restore stands. */
  private readonly written = new Map<string, Offset>();

  constructor(init: RestoreProgressInit) {
    this.init = init;
    this.nextAtMs = this.monotonicMs() + init.app.settings.snapshotIntervalMs;
  }

  /** Where a store's newest snapshot stands. */
  snapshotOffset({ changelog, snapshotOffset }: StoreProgress): Offset {
    const written = this.written.get(changelog.store) ?? snapshotOffset;
    return written > snapshotOffset ? written : snapshotOffset;
  }

  /** Starts a snapshot if one is due (R3). The store may be written again when this has returned. */
  turn(progress: StoreProgress): void {
    if (this.writing !== null || !this.isWorthwhile(progress)) return;
    if (this.monotonicMs() < this.nextAtMs && !this.isTight(progress)) return;
    this.writing = this.write(progress, this.ended.signal).finally(() => {
      this.writing = null;
    });
  }

  /** The run is asked to stop: writes what there is. Never throws. */
  async keep(all: readonly StoreProgress[]): Promise<void> {
    await this.end();
    // Each image is read before the first promise: whoever gets the stores next may write them.
    await Promise.all(all.filter((one) => this.isWorthwhile(one)).map((one) => this.write(one)));
  }

  /** Gives up what is being written; never throws. */
  async end(): Promise<void> {
    this.ended.abort(new AbortedError('the restore has ended'));
    await this.writing;
  }

  /** Whether it is to take what it has come to from memory without waiting for its time. */
  private isTight({ store }: StoreProgress): boolean {
    return store instanceof LazyStore && isTooMuch(store, this.init.loading);
  }

  private isWorthwhile(progress: StoreProgress): boolean {
    return progress.position - this.snapshotOffset(progress) >= this.init.app.settings.snapshotMinRecords;
  }

  private async write(progress: StoreProgress, signal?: AbortSignal): Promise<void> {
    const { app, ports, logger, taskId, restorer, loading } = this.init;
    const { changelog, store, topicId, knownAtMs, position: nextOffset } = progress;
    const { store: storeName, topic, partition } = changelog;
    const identity = snapshotIdentity({ app, taskId, storeName, topicId });
    const startedMs = this.monotonicMs();
    const lazy = store instanceof LazyStore ? store : null;
    try {
      const content = lazy === null ? null : await lazyContent(lazy);
      const written = await writeSnapshot({
        store: ports.snapshots,
        host: ports.host,
        identity,
        changelog: { topic, partition },
        writer: `restore.${restorer}`,
        nextOffset,
        lastKnownEndAtMs: knownAtMs,
        ...(content ?? { entries: store.committed() }),
        ...(signal === undefined ? {} : { signal }),
      });
      const { name, manifest } = written;
      this.written.set(storeName, nextOffset);
      const entries = manifest.segments.reduce((sum, one) => sum + one.entries, 0);
      const ms = Math.round(this.monotonicMs() - startedMs);
      logger.info('restore-progress-kept', { store: storeName, snapshot: name, nextOffset, entries, ms });
      if (lazy !== null && content !== null && isToLie(lazy, loading)) {
        await lieIn(lazy, loading, identity, written, content);
      }
      await collectGarbage({ store: ports.snapshots, host: ports.host, identity, nowMs: ports.host.clock.now() });
    } catch (thrown) {
      const { code, message } = asStreamsError(thrown);
      if (this.ended.signal.aborted && signal !== undefined) return; // it was given up
      logger.warn('restore-progress-lost', { store: storeName, nextOffset, code, message });
    } finally {
      lazy?.giveUpRebase();
      const tookMs = this.monotonicMs() - startedMs;
      const { snapshotIntervalMs } = app.settings;
      this.nextAtMs = startedMs + tookMs + Math.max(snapshotIntervalMs, tookMs / WRITING_PART);
    }
  }

  private monotonicMs(): number {
    return this.init.ports.host.clock.monotonic();
  }
}
