/**
 * One restore of a task's stores, one after the other: its place in line, its pace, the memory it fills, what is kept of it if it is
 * interrupted, and what it took.
 */
import { asStreamsError, type StreamsError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { ENTRY_OVERHEAD_BYTES } from '../state/entry-table.js';
import { LazyStore } from '../state/lazy-store.js';
import type { TaskState } from '../topology/listeners.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { lazyLoadingOf } from './lazy-stores.js';
import type { LoadObserver, LoadSource } from './load-store.js';
import type { MemberRestores } from './member-restores.js';
import { estimateLeftBytes, TAIL_BYTES } from './restore-estimate.js';
import { hurryWallMs } from './restore-pace.js';
import { createMeter, meteredPorts, type RestoreMeter } from './restore-ports.js';
import { RestoreProgressSnapshots, type StoreProgress } from './restore-progress.js';
import type { RestoringRun } from './restoring-run.js';
import { leastStateBytes } from './state-budget.js';
import type { SessionStore } from './task-session.js';

/** The store that is being restored. */
interface Current {
  readonly changelog: TaskChangelog;
  readonly target: Offset;
  readonly remembered: Offset | null;
  source: LoadSource | null;
  isFilled: boolean;
  fromOffset: Offset;
  position: Offset;
}

export class TaskRestore {
  /** Through which everything is read. */
  readonly ports: RestoringRun['ports'];
  private readonly run: RestoringRun;
  private readonly meter: RestoreMeter = createMeter();
  private readonly progress: RestoreProgressSnapshots | null;
  private readonly startedMs: number;
  private readonly done: StoreProgress[] = [];
  private current: Current | null = null;
  private doneBytes = 0;
  private isInLine = false;
  private waitedMs = 0;
  private snapshotMs = 0;
  private tailMs = 0;
  private records = 0;

  constructor(run: RestoringRun) {
    const { app, ports, logger, task, stop, restores, restorer } = run;
    this.run = run;
    this.startedMs = ports.host.clock.monotonic();
    this.ports = meteredPorts({ ports, meter: this.meter, pace: restores?.pace ?? null, signal: stop.signal });
    this.progress =
      restorer === undefined
        ? null
        : new RestoreProgressSnapshots({
            app,
            ports,
            logger,
            taskId: task.taskId,
            restorer,
            loading: lazyLoadingOf(run),
          });
  }

  /**
   * Waits for its turn.
   *
   * @param entered told of the state that the task comes to
   * @throws {StateTooLargeError} STREAMS_STATE_TOO_LARGE if the task is known not to fit · {AbortedError} STREAMS_ABORTED
   */
  async begin(entered: (state: TaskState) => void): Promise<void> {
    const { restores, task } = this.run;
    if (restores !== undefined && task.changelogs.length > 0) await this.waitForTurn(restores, entered);
    entered('restoring');
  }

  private async waitForTurn(restores: MemberRestores, entered: (state: TaskState) => void): Promise<void> {
    const { app, ports, task, kept } = this.run;
    restores.budget.admit(task.taskId);
    const { limit } = restores.places;
    const leftBytes = limit === 0 ? 0 : await estimateLeftBytes({ app, ports, task, kept });
    if (limit > 0 && leftBytes <= TAIL_BYTES && isCopied(task, kept)) return;
    await this.enterLine(restores, leftBytes, entered);
  }

  /**
   * What is here turns out to be of no use, or is gone, where the task was to read no more than a short tail: it needs a turn after all.
   *
   * @returns whether it did not have one before
   * @throws as {@link begin}
   */
  async ensureTurn(entered: (state: TaskState) => void): Promise<boolean> {
    const { restores, app, ports, task, kept } = this.run;
    if (restores === undefined || this.isInLine || restores.places.limit === 0) return false;
    await this.enterLine(restores, await estimateLeftBytes({ app, ports, task, kept }), entered);
    entered('restoring');
    return true;
  }

  private async enterLine(
    { places }: MemberRestores,
    leftBytes: number,
    entered: (state: TaskState) => void,
  ): Promise<void> {
    const { logger, task, stop } = this.run;
    const { taskId } = task;
    const { limit } = places;
    const waits = () => {
      logger.info('restore-waits', { leftBytes, limit });
      entered('waiting-to-restore');
    };
    const askedMs = this.monotonicMs();
    await places.enter({ taskId, leftBytes, signal: stop.signal, waits });
    this.isInLine = true;
    this.waitedMs = this.monotonicMs() - askedMs;
  }

  /** Watches over the load of one store; `inner` hears the same. */
  observe(changelog: TaskChangelog, target: Offset, remembered: Offset | null, inner: LoadObserver): LoadObserver {
    const current: Current = {
      changelog,
      target,
      remembered,
      source: null,
      isFilled: false,
      fromOffset: 0 as Offset,
      position: 0 as Offset,
    };
    this.current = current;
    let atMs = this.monotonicMs();
    const lapMs = () => {
      const beforeMs = atMs;
      atMs = this.monotonicMs();
      return atMs - beforeMs;
    };
    return {
      started: (fromOffset, source) => {
        lapMs();
        Object.assign(current, { source, fromOffset, position: fromOffset, isFilled: false });
        this.meter.hurryAtMs = this.hurryAtMs(source);
        if (source.manifest !== null && !(source.store instanceof LazyStore && source.store.lies))
          this.checkFits(leastStateBytes(source.manifest, ENTRY_OVERHEAD_BYTES), 'snapshot');
        inner.started(fromOffset, source);
      },
      filled: () => {
        this.snapshotMs += lapMs();
        current.isFilled = true;
        inner.filled?.();
      },
      applied: (nextOffset, records) => {
        current.position = nextOffset;
        this.records += records;
        const progress = progressOf(current);
        if (progress === null) return;
        this.checkFits(progress.store.sizeBytes, 'measured');
        if (nextOffset < target) this.progress?.turn(progress);
        inner.applied(nextOffset, records);
      },
      finished: (nextOffset) => {
        this.tailMs += lapMs();
        inner.finished(nextOffset);
      },
    };
  }

  /** The store was restored. @returns it, with where its newest snapshot stands */
  finished(changelog: TaskChangelog, store: SessionStore): SessionStore {
    const { position, atEndMs: knownAtMs, snapshotOffset, topicId } = store;
    const progress = { changelog, store: store.store, topicId, knownAtMs, position, snapshotOffset };
    this.current = null;
    this.done.push(progress);
    this.doneBytes += store.store.sizeBytes;
    this.progress?.turn(progress);
    return { ...store, snapshotOffset: this.progress?.snapshotOffset(progress) ?? snapshotOffset };
  }

  /** All stores are restored: says what it took. */
  async succeeded(): Promise<void> {
    const { logger, task, restores } = this.run;
    await this.progress?.end();
    restores?.budget.hold(task.taskId, this.doneBytes);
    if (this.done.length === 0) return;
    const { snapshotBytes, logBytes, throttledMs } = this.meter;
    logger.info('task-restored', {
      stores: this.done.length,
      waitedMs: Math.round(this.waitedMs),
      snapshotBytes,
      snapshotMs: Math.round(this.snapshotMs),
      tailBytes: logBytes,
      tailRecords: this.records,
      tailMs: Math.round(this.tailMs),
      throttledMs: Math.round(throttledMs),
      ms: Math.round(this.monotonicMs() - this.startedMs),
    });
  }

  /** It has failed or is asked to stop: what it has come to is kept, in this process and, if the run ends, for others. Never throws. */
  async failed(thrown: unknown): Promise<void> {
    const { stop } = this.run;
    this.end();
    const partial = progressOf(this.current);
    if (partial !== null) this.keepHere(partial, asStreamsError(thrown));
    if (stop.reason === null || stop.reason === 'lost') await this.progress?.end();
    else await this.progress?.keep([...this.done, ...(partial === null ? [] : [partial])]);
  }

  /** Gives its place back. May be called twice. */
  end(): void {
    this.run.restores?.places.leave(this.run.task);
  }

  /** What another attempt of this process goes on with, where it is not the state itself that was at fault. */
  private keepHere(partial: StoreProgress, { kind }: StreamsError): void {
    const { kept, task } = this.run;
    const { current } = this;
    if (kind !== 'transient' || current === null || partial.position >= current.target) return;
    const { store, topicId, position: nextOffset, knownAtMs: atEndMs } = partial;
    const snapshotOffset = this.progress?.snapshotOffset(partial) ?? partial.snapshotOffset;
    kept.keep({ taskId: task.taskId, store, topicId, nextOffset, atEndMs, snapshotOffset, endOffset: current.target });
  }

  private checkFits(bytes: number, basis: 'snapshot' | 'measured'): void {
    const { task, restores } = this.run;
    const store = this.current?.changelog.store ?? '';
    const remembers = !(this.current?.source?.store instanceof LazyStore); // such a one goes on in what it has come to
    restores?.budget.check({ taskId: task.taskId, store, bytes: this.doneBytes + bytes, basis }, remembers);
  }

  private hurryAtMs({ knownAtMs, deleteRetentionMs }: LoadSource): number {
    const { clock } = this.run.ports.host;
    return clock.monotonic() + hurryWallMs(knownAtMs, deleteRetentionMs) - clock.now();
  }

  private monotonicMs(): number {
    return this.run.ports.host.clock.monotonic();
  }
}

function isCopied({ taskId, changelogs }: RestoringRun['task'], kept: RestoringRun['kept']): boolean {
  return changelogs.every(({ store }) => kept.positionOf(taskId, store) !== null);
}

/** What a store in the midst of its restore has come to; null before it has what its source had. */
function progressOf(current: Current | null): StoreProgress | null {
  if (current === null || current.source === null || !current.isFilled) return null;
  const { changelog, source, position, fromOffset, remembered } = current;
  const { store, topicId, knownAtMs, manifest, mode } = source;
  const snapshotOffset = manifest?.nextOffset ?? (mode === 'memory' ? remembered : null) ?? fromOffset;
  return { changelog, store, topicId, knownAtMs, position, snapshotOffset };
}
