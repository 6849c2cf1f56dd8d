/**
 * Snapshots that a running task writes itself, where no standby function does: without standbys, and where these are hot
 * (docs/decisions/0026-hot-copies-are-kept-stores.md); and always those of a store that lies in its snapshot, which so lets go of what was
 * written since.
 *
 * Invariants (docs/design.md §7)
 *   N1  only committed state goes in: the image, which an open or sealed overlay never touches
 *   N2  `nextOffset` is a confirmed position, so the image holds all that is committed below it. It may hold later commits as
 *       well: replaying the tail ends in the same state, for every end from here on
 *   N3  the image is read in one go, before the task writes again; storing it then runs beside the task
 *   N4  a snapshot that fails costs a log line: the changelog is the truth
 *   N5  of a store that lies in its snapshot only what was committed since goes in, deletes included: a delta to it
 */
import { asStreamsError } from '../model/errors.js';
import { hasSnapshotStandbys } from '../model/settings.js';
import { collectGarbage } from '../snapshots/collect-garbage.js';
import type { SnapshotIdentity } from '../snapshots/manifest.js';
import { writeSnapshot } from '../snapshots/write-snapshot.js';
import { LazyStore } from '../state/lazy-store.js';
import { isToLie, isTooMuch, type LazyLoading, lazyContent, lazyLoadingOf, lieIn } from './lazy-stores.js';
import { snapshotIdentity } from './load-store.js';
import type { SessionStore, TaskSession } from './task-session.js';

export class TaskSnapshots {
  private readonly session: TaskSession;
  private readonly loading: LazyLoading;
  private readonly writing = new Map<string, Promise<void>>();
  private readonly writtenAtMs = new Map<string, number>();

  constructor(session: TaskSession) {
    this.session = session;
    this.loading = lazyLoadingOf(session.run);
  }

  /** Starts what is due. Call it when positions have just been confirmed, between commits. */
  turn(): void {
    const hasStandbys = hasSnapshotStandbys(this.session.run.app.settings);
    for (const store of this.session.stores) {
      const isTaken = store.store instanceof LazyStore && isToLie(store.store, this.loading);
      if (hasStandbys && !isTaken) continue;
      if (this.isDue(store) || this.isTight(store)) this.start(store);
    }
  }

  /** Waits for what is being written. Never throws. */
  async settled(): Promise<void> {
    await Promise.all(this.writing.values());
  }

  private isDue({ name, position, snapshotOffset }: SessionStore): boolean {
    const { snapshotMinRecords, snapshotIntervalMs } = this.session.run.app.settings;
    if (this.writing.has(name) || position - snapshotOffset < snapshotMinRecords) return false;
    const writtenAtMs = this.writtenAtMs.get(name);
    return writtenAtMs === undefined || this.monotonicMs() - writtenAtMs >= snapshotIntervalMs;
  }

  /** Whether it is to take what it can from memory without waiting for its time. */
  private isTight({ name, store, position, snapshotOffset }: SessionStore): boolean {
    if (!(store instanceof LazyStore) || this.writing.has(name) || position <= snapshotOffset) return false;
    return isTooMuch(store, this.loading);
  }

  private start(store: SessionStore): void {
    this.writtenAtMs.set(store.name, this.monotonicMs());
    this.writing.set(
      store.name,
      this.write(store).finally(() => this.writing.delete(store.name)),
    );
  }

  private async write(store: SessionStore): Promise<void> {
    const { run } = this.session;
    const { position: nextOffset } = store;
    const startedMs = this.monotonicMs();
    const identity = snapshotIdentity({
      app: run.app,
      taskId: run.task.taskId,
      storeName: store.name,
      topicId: store.topicId,
    });
    const { loading } = this;
    const lazy = store.store instanceof LazyStore && isToLie(store.store, loading) ? store.store : null;
    try {
      const delta = lazy === null ? null : await lazyContent(lazy);
      const written = await writeSnapshot({
        store: run.ports.snapshots,
        host: run.ports.host,
        identity,
        changelog: store.changelog,
        writer: run.hold.owner.memberId,
        nextOffset,
        lastKnownEndAtMs: store.atEndMs,
        ...(delta ?? { entries: store.store.committed() }),
      });
      const { name, manifest } = written;
      store.snapshotOffset = nextOffset;
      const entries = manifest.segments.reduce((sum, segment) => sum + segment.entries, 0);
      const ms = Math.round(this.monotonicMs() - startedMs);
      run.logger.info('snapshot-written', { store: store.name, snapshot: name, nextOffset, entries, ms });
      if (lazy !== null && delta !== null) await lieIn(lazy, loading, identity, written, delta);
      await this.collect(identity);
    } catch (thrown) {
      const error = asStreamsError(thrown);
      run.logger.warn('snapshot-failed', { store: store.name, nextOffset, code: error.code, message: error.message });
    } finally {
      lazy?.giveUpRebase();
    }
  }

  private async collect(identity: SnapshotIdentity): Promise<void> {
    const { ports } = this.session.run;
    await collectGarbage({
      store: ports.snapshots,
      host: ports.host,
      identity,
      nowMs: ports.host.clock.now(),
    });
  }

  private monotonicMs(): number {
    return this.session.run.ports.host.clock.monotonic();
  }
}
