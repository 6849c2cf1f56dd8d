/**
 * The copies that a member keeps of other members' tasks: hot standbys and warm-ups, by one code. Kafka: the standby tasks of the
 * state updater thread.
 *
 * They are followed for ever, read committed, with one fetch for all of them. No processor is constructed for them, no producer
 * opened, no lease taken (features F2 to F4): what is made of a copy is a kept store (kept-stores.ts), which the task takes when a plan makes it
 * active here, and leaves when a plan makes it a standby here.
 *
 * Invariants (C1 to C4 of store-copy.ts hold for each)
 *   Y1  what the plan lists as standby or warm-up is copied, unless its task still runs here; what it lists no more is followed no more
 *   Y2  a granted task whose lease somebody still holds is followed on, if there is a copy: it is taken over as warm as can be
 *   Y3  nothing here ends the member: a copy that fails is said and begun anew, with growing pauses
 *   Y4  copies leave room for tasks: a fetch is bounded in bytes, what it brings is applied in parts, at most {@link OPENING_MAX}
 *       snapshots are read at once, at the pace of restores
 *   Y5  copies have the memory that tasks leave (H4 of state-budget.ts). Where that is not enough, those wanted last give way; it is said, and
 *       they are begun anew when there is room for what they had come to
 */
import type { Logger } from '../host/host.js';
import type { FetchResult } from '../log/log.js';
import { AbortedError, asStreamsError, type StreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { Breather } from './breather.js';
import type { CopyRole } from './copy-roles.js';
import { CopyUpkeep } from './copy-upkeep.js';
import { FOLLOW_WAIT_MS } from './follower.js';
import type { KeptStores } from './kept-stores.js';
import type { MemberRestores } from './member-restores.js';
import { openCopy } from './open-copy.js';
import type { RuntimePorts } from './ports.js';
import { backoffMs } from './recovery.js';
import type { StoreCopy } from './store-copy.js';
import type { TaskDirectory } from './task-directory.js';
import { Wakeup } from './wakeup.js';

/** Copies that are begun at once. */
export const OPENING_MAX = 2;
/** Failures in a row after which the pauses grow no more. */
const GROWING_PAUSES_MAX = 8;
/** Without copies the loop looks this often whether there is something to begin. */
const NOTHING_TO_FOLLOW_MS = 1_000;
const STOPPED = 'stopped';

export interface MemberCopiesInit {
  readonly ports: Pick<RuntimePorts, 'log' | 'snapshots' | 'host'>;
  readonly logger: Logger;
  readonly kept: KeptStores;
  /** Whether a run of the task holds its stores here. */
  readonly isRunning: (taskId: TaskId) => boolean;
  /** Pace and memory that copies share with the restores of tasks. */
  readonly restores: Pick<MemberRestores, 'pace' | 'budget'>;
}

/** A store that is to be copied. */
interface Wanted {
  readonly taskId: TaskId;
  readonly role: CopyRole;
  readonly changelog: TaskChangelog;
}

interface Failed {
  readonly failures: number;
  readonly retryAtMs: number;
}

export class MemberCopies {
  private readonly init: MemberCopiesInit;
  private readonly stopping = new AbortController();
  private readonly wakeup = new Wakeup();
  private readonly breather: Breather;
  private directory: TaskDirectory | null = null;
  /** By task and store. */
  private wanted: ReadonlyMap<string, Wanted> = new Map();
  private readonly copies = new Map<string, StoreCopy>();
  private readonly opening = new Map<string, Promise<void>>();
  private readonly failed = new Map<string, Failed>();
  /** What copies took that had to give way (Y5). */
  private readonly gaveWay = new Map<string, number>();
  private upkeep: CopyUpkeep | null = null;
  private running: Promise<void> | null = null;
  private roles: ReadonlyMap<TaskId, CopyRole> = new Map();
  /** Monotonic milliseconds at which a copy last had something to apply; null: none ever had. */
  activeAtMs: number | null = null;

  constructor(init: MemberCopiesInit) {
    this.init = init;
    this.breather = new Breather(init.ports.host.clock);
  }

  /** Tasks that are standbys or warm-ups here. */
  get taskIds(): readonly TaskId[] {
    return [...this.roles].filter(([, role]) => role !== 'waiting').map(([taskId]) => taskId);
  }

  /** Whether there is a copy of every store of these tasks that lacks no more than `lagMost` changelog records. */
  areCurrent(directory: TaskDirectory, taskIds: readonly TaskId[], lagMost: number): boolean {
    return taskIds.every((taskId) =>
      (directory.tasks.get(taskId)?.changelogs ?? []).every((changelog) => {
        const copy = this.copies.get(keyOf(taskId, changelog));
        return copy !== undefined && copy.kept.endOffset !== undefined && copy.lag <= lagMost;
      }),
    );
  }

  /** What to copy from now on. Begins to follow with the first copy that is wanted; may be called again at any time. */
  want(directory: TaskDirectory, roles: ReadonlyMap<TaskId, CopyRole>): void {
    this.directory = directory;
    this.roles = roles;
    const wanted = new Map<string, Wanted>();
    for (const [taskId, role] of roles)
      for (const changelog of directory.tasks.get(taskId)?.changelogs ?? [])
        wanted.set(keyOf(taskId, changelog), { taskId, role, changelog });
    this.wanted = wanted;
    this.init.kept.protect(new Set(roles.keys()));
    for (const key of this.failed.keys()) if (!wanted.has(key)) this.failed.delete(key);
    for (const key of this.gaveWay.keys()) if (!wanted.has(key)) this.gaveWay.delete(key);
    this.release();
    if (this.taskIds.length > 0 && !this.stopping.signal.aborted) this.running ??= this.run();
    this.wakeup.wake();
  }

  /** Ends following; the stores stay kept where they stand. May be called again; never throws. */
  async stop(): Promise<void> {
    this.stopping.abort(STOPPED);
    this.wakeup.wake();
    await this.running;
    await Promise.all(this.opening.values());
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      try {
        this.release();
        this.giveWay();
        this.begin();
        await this.turn();
        failures = 0;
      } catch (thrown) {
        failures = Math.min(failures + 1, GROWING_PAUSES_MAX);
        if (!(await this.mayGoOn(asStreamsError(thrown), failures))) return;
      }
      await this.breathe();
    }
  }

  /** Y1: lets go of copies that are not wanted any more, or that their task has taken. */
  private release(): void {
    for (const [key, copy] of this.copies) {
      const isWanted = this.wanted.has(key);
      if (isWanted && copy.isHere) continue;
      this.copies.delete(key);
      const { taskId, nextOffset } = copy.kept;
      const because = copy.isHere ? 'not-wanted' : 'taken';
      this.init.logger.info('copy-ended', { taskId, store: copy.changelog.store, position: nextOffset, because });
    }
  }

  /** Y5. */
  private giveWay(): void {
    const { restores, kept, logger, ports } = this.init;
    let leftBytes = restores.budget.leftForCopiesBytes - this.copiedBytes();
    for (const [key, { role }] of [...this.wanted].reverse()) {
      if (leftBytes >= 0) return;
      const copy = this.copies.get(key);
      if (copy === undefined || role === 'waiting') continue; // a task is about to run on such a one
      const { sizeBytes } = copy.kept.store;
      const { store } = copy.changelog;
      const { taskId } = copy.kept;
      kept.take(taskId, store);
      this.copies.delete(key);
      this.gaveWay.set(key, sizeBytes);
      leftBytes += sizeBytes;
      logger.warn('copy-refused', { taskId, store, reason: 'no-room', sizeBytes });
      ports.host.metrics.count('copies-refused', 1, { task: taskId, store });
    }
  }

  private hasRoom(key: string): boolean {
    const neededBytes = this.gaveWay.get(key);
    if (neededBytes === undefined) return true;
    return this.init.restores.budget.leftForCopiesBytes - this.copiedBytes() >= neededBytes;
  }

  private copiedBytes(): number {
    let bytes = 0;
    for (const { kept } of this.copies.values()) bytes += kept.store.sizeBytes;
    return bytes;
  }

  /** Begins what is wanted and not there, as many at once as Y4 allows. */
  private begin(): void {
    const { kept, isRunning, ports } = this.init;
    const nowMs = ports.host.clock.monotonic();
    for (const [key, one] of this.wanted) {
      if (this.opening.size >= OPENING_MAX) return;
      if (this.copies.has(key) || this.opening.has(key) || isRunning(one.taskId)) continue;
      if (one.role === 'waiting' && kept.find(one.taskId, one.changelog.store) === null) continue; // Y2
      if ((this.failed.get(key)?.retryAtMs ?? 0) > nowMs || !this.hasRoom(key)) continue;
      const opening = this.open(key, one).finally(() => this.opening.delete(key));
      this.opening.set(key, opening);
    }
  }

  private async open(key: string, { taskId, role, changelog }: Wanted): Promise<void> {
    const { ports, kept, logger, isRunning } = this.init;
    const { directory } = this;
    if (directory === null) return;
    try {
      const copy = await openCopy({
        app: directory.app,
        ports,
        logger: logger.child({ role }),
        home: kept,
        taskId,
        changelog,
        pace: this.init.restores.pace,
        isWelcome: () => this.wanted.has(key) && !isRunning(taskId),
        signal: this.stopping.signal,
      });
      if (copy === null) return;
      this.copies.set(key, copy);
      this.failed.delete(key);
      this.activeAtMs = ports.host.clock.monotonic();
    } catch (thrown) {
      this.say('copy-failed', taskId, changelog, asStreamsError(thrown));
      this.pause(key);
    } finally {
      this.wakeup.wake();
    }
  }

  /** One fetch for all copies, applied; with none, a sleep. */
  private async turn(): Promise<void> {
    const { clock } = this.init.ports.host;
    const { directory } = this;
    if (directory === null || this.copies.size === 0) return this.wakeup.sleep(clock, NOTHING_TO_FOLLOW_MS);
    this.upkeep ??= new CopyUpkeep({ app: directory.app, log: this.init.ports.log, clock });
    for (const gone of await this.upkeep.turn([...this.copies.values()])) this.lose(gone.copy, gone.error);
    const asked = this.nextToFetch();
    if (asked.size === 0) return this.wakeup.sleep(clock, FOLLOW_WAIT_MS);
    const askedAtMs = clock.now();
    const answers = await this.fetch(directory, asked);
    for (const answer of answers) {
      const copy = asked.get(topicPartitionKey(answer));
      if (copy !== undefined) await this.apply(copy, answer, askedAtMs);
    }
  }

  /** By changelog partition. Where two stores have one changelog, the one that is behind goes first. */
  private nextToFetch(): ReadonlyMap<string, StoreCopy> {
    const asked = new Map<string, StoreCopy>();
    for (const copy of this.copies.values()) {
      if (copy.request === null || !copy.isHere) continue;
      const key = topicPartitionKey(copy.changelog);
      const other = asked.get(key);
      if (other === undefined || other.kept.nextOffset > copy.kept.nextOffset) asked.set(key, copy);
    }
    return asked;
  }

  private async fetch(
    { app: { settings } }: TaskDirectory,
    asked: ReadonlyMap<string, StoreCopy>,
  ): Promise<readonly FetchResult[]> {
    const requests = [...asked.values()].flatMap(({ request }) => request ?? []);
    try {
      return await this.init.ports.log.fetch(requests, {
        isolation: 'readCommitted',
        maxWaitMs: Math.max(settings.pollMs, FOLLOW_WAIT_MS),
        maxBytes: settings.fetchMaxBytes,
        signal: this.stopping.signal,
      });
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (error.kind !== 'transient' && !(error instanceof AbortedError)) await this.findGone([...asked.values()]);
      throw error;
    }
  }

  /** One partition that is out of range, or gone, fails the fetch of all: each is asked for itself, and those that fail are begun anew. */
  private async findGone(copies: readonly StoreCopy[]): Promise<void> {
    for (const copy of copies) {
      const { request } = copy;
      if (request === null) continue;
      try {
        await this.init.ports.log.fetch([request], {
          isolation: 'readCommitted',
          maxWaitMs: 0,
          maxBytes: 1,
          signal: this.stopping.signal,
        });
      } catch (thrown) {
        const error = asStreamsError(thrown);
        if (error.kind === 'transient' || error instanceof AbortedError) throw error;
        this.lose(copy, error);
      }
    }
  }

  private async apply(copy: StoreCopy, answer: FetchResult, askedAtMs: number): Promise<void> {
    try {
      const records = await copy.take(answer, askedAtMs);
      if (records > 0 || copy.lag > 0) this.activeAtMs = this.init.ports.host.clock.monotonic();
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (error instanceof AbortedError) throw error;
      this.lose(copy, error);
    }
    await this.breather.turn(); // Y4
  }

  /** Y3: what is there of it is dropped, so that it begins with a snapshot or the log. */
  private lose(copy: StoreCopy, error: StreamsError): void {
    const { taskId } = copy.kept;
    const key = keyOf(taskId, copy.changelog);
    if (copy.isHere) this.init.kept.take(taskId, copy.changelog.store);
    if (this.copies.get(key) === copy) this.copies.delete(key);
    this.say('copy-lost', taskId, copy.changelog, error);
    this.init.ports.host.metrics.count('copies-lost', 1, { task: taskId, store: copy.changelog.store });
    this.pause(key);
  }

  private say(event: string, taskId: TaskId, { store }: TaskChangelog, { code, message }: StreamsError): void {
    if (!this.stopping.signal.aborted) this.init.logger.warn(event, { taskId, store, code, message });
  }

  private pause(key: string): void {
    const { clock, random } = this.init.ports.host;
    const failures = Math.min((this.failed.get(key)?.failures ?? 0) + 1, GROWING_PAUSES_MAX);
    this.failed.set(key, { failures, retryAtMs: clock.monotonic() + backoffMs(failures, random.next()) });
  }

  /** @returns false if following is over: stopped, or the process has died, which it learns from its ports */
  private async mayGoOn(error: StreamsError, failures: number): Promise<boolean> {
    const { ports, logger } = this.init;
    const { signal } = this.stopping;
    if (signal.aborted || error instanceof AbortedError) return false;
    logger.warn('copies-not-followed', { code: error.code, message: error.message, failures });
    try {
      await ports.host.clock.sleep(backoffMs(failures, ports.host.random.next()), signal);
      return true;
    } catch {
      return false; // stopped or died meanwhile
    }
  }

  private async breathe(): Promise<void> {
    try {
      await this.breather.turn();
    } catch {
      this.stopping.abort(STOPPED); // only who has died can not sleep
    }
  }
}

function keyOf(taskId: TaskId, { store }: TaskChangelog): string {
  return `${taskId}/${store}`;
}
