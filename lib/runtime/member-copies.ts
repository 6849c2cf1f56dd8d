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
 *       snapshots are read at once
 *   Y5  copies have the memory that tasks leave (copy-room.ts). Where that is not enough, those wanted last give way; it is said, and
 *       they are begun anew when there is room for what they had come to
 *   Y6  as long as a copy is read back, up to where its changelog ended when it was begun, it is a restore: it needs a turn (copy-turns.ts),
 *       and goes at the pace of restores. From then on it follows, and is never held back
 */
import type { Logger } from '../host/host.js';
import type { FetchOptions, FetchResult } from '../log/log.js';
import { AbortedError, asStreamsError, StateTooLargeError, type StreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { Breather } from './breather.js';
import type { CopyRole } from './copy-roles.js';
import { CopyRoom } from './copy-room.js';
import { CopyTurns } from './copy-turns.js';
import { CopyUpkeep } from './copy-upkeep.js';
import { FOLLOW_WAIT_MS } from './follower.js';
import type { KeptStores } from './kept-stores.js';
import type { MemberRestores } from './member-restores.js';
import { openCopy } from './open-copy.js';
import type { RuntimePorts } from './ports.js';
import { backoffMs } from './recovery.js';
import { estimateLeftBytes } from './restore-estimate.js';
import { bytesOf } from './restore-ports.js';
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
  /** Line, pace and memory that copies share with the restores of tasks. */
  readonly restores: Pick<MemberRestores, 'places' | 'pace' | 'budget'>;
}

/** A store that is to be copied. */
interface Wanted {
  readonly taskId: TaskId;
  readonly role: CopyRole;
  readonly changelog: TaskChangelog;
}

/** How much of the log is asked for at once, and how long it is waited for. */
type FetchBounds = Pick<FetchOptions, 'maxWaitMs' | 'maxBytes'>;

/** A copy that is being begun. */
interface Opening {
  readonly key: string;
  readonly taskId: TaskId;
  readonly stop: AbortController;
  readonly done: Promise<void>;
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
  private readonly opening = new Map<string, Opening>();
  private readonly failed = new Map<string, Failed>();
  private readonly room: CopyRoom;
  private readonly turns: CopyTurns;
  /** Monotonic milliseconds before which nothing more is read back (Y6). */
  private fillAtMs = 0;
  private upkeep: CopyUpkeep | null = null;
  private running: Promise<void> | null = null;
  private roles: ReadonlyMap<TaskId, CopyRole> = new Map();
  /** Monotonic milliseconds at which a copy last had something to apply; null: none ever had. */
  activeAtMs: number | null = null;

  constructor(init: MemberCopiesInit) {
    this.init = init;
    this.breather = new Breather(init.ports.host.clock);
    const { places, budget } = init.restores;
    this.room = new CopyRoom({ budget, copiedBytes: () => this.copiedBytes() });
    this.turns = new CopyTurns({
      places,
      logger: init.logger,
      estimate: (taskId) => this.leftBytesOf(taskId),
      changed: (taskId) => {
        if (!this.turns.mayRead(taskId)) this.stopOpening((one) => one.taskId === taskId);
        else this.goOn(taskId);
        this.wakeup.wake();
      },
    });
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
    this.room.keepOnly(wanted);
    this.release();
    if (this.taskIds.length > 0 && !this.stopping.signal.aborted) this.running ??= this.run();
    this.wakeup.wake();
  }

  /** Ends following; the stores stay kept where they stand. May be called again; never throws. */
  async stop(): Promise<void> {
    this.stopping.abort(STOPPED);
    this.wakeup.wake();
    await this.running;
    await Promise.all([...this.opening.values()].map(({ done }) => done));
    this.turns.end();
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      try {
        this.release();
        this.giveWay();
        this.takeTurns();
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
    this.stopOpening(({ key, taskId }) => !this.wanted.has(key) || this.init.isRunning(taskId));
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
    const { kept } = this.init;
    let { leftBytes } = this.room;
    for (const [key, { role }] of [...this.wanted].reverse()) {
      if (leftBytes >= 0) return;
      const copy = this.copies.get(key);
      if (copy === undefined || role === 'waiting') continue; // a task is about to run on such a one
      const { sizeBytes } = copy.kept.store;
      const { store } = copy.changelog;
      const { taskId } = copy.kept;
      kept.take(taskId, store);
      this.copies.delete(key);
      this.room.gaveWay(key, sizeBytes);
      leftBytes += sizeBytes;
      this.sayNoRoom(taskId, store, sizeBytes);
    }
  }

  private sayNoRoom(taskId: TaskId, store: string, sizeBytes: number): void {
    const { logger, ports } = this.init;
    logger.warn('copy-refused', { taskId, store, reason: 'no-room', sizeBytes });
    ports.host.metrics.count('copies-refused', 1, { task: taskId, store });
  }

  /** Y6. */
  private takeTurns(): void {
    const needed = new Set<TaskId>();
    const reading = new Set([...this.opening.values()].map(({ taskId }) => taskId));
    for (const [key, { taskId, role, changelog }] of this.wanted) {
      const copy = this.copies.get(key);
      const isKept = this.init.kept.find(taskId, changelog.store) !== null;
      if (copy === undefined ? this.mayBegin(key, taskId) && !isKept && role !== 'waiting' : copy.isFilling)
        needed.add(taskId);
    }
    for (const taskId of reading) needed.add(taskId);
    this.turns.turn(needed, reading);
  }

  /** What its copies have to read back, as far as they are wanted. */
  private async leftBytesOf(taskId: TaskId): Promise<number> {
    const { directory } = this;
    const { ports, kept } = this.init;
    const changelogs = [...this.wanted.values()].filter((one) => one.taskId === taskId).map((one) => one.changelog);
    return directory === null
      ? 0
      : estimateLeftBytes({ app: directory.app, ports, task: { taskId, changelogs }, kept });
  }

  /** Its turn has come: what is to be begun is, without waiting for a fetch to end. */
  private goOn(taskId: TaskId): void {
    for (const { kept, isFilling, changelog, isHere } of this.copies.values())
      if (kept.taskId === taskId && isFilling && isHere)
        this.init.logger.info('copy-goes-on', { taskId, store: changelog.store, position: kept.nextOffset });
    if (!this.stopping.signal.aborted) this.begin();
  }

  private stopOpening(which: (opening: Opening) => boolean): void {
    for (const opening of this.opening.values()) if (which(opening)) opening.stop.abort(STOPPED);
  }

  private copiedBytes(): number {
    let bytes = 0;
    for (const { kept } of this.copies.values()) bytes += kept.store.sizeBytes;
    return bytes;
  }

  /** Begins what is wanted and not there, as many at once as Y4 allows. */
  private begin(): void {
    const { kept } = this.init;
    for (const [key, one] of this.wanted) {
      if (this.opening.size >= OPENING_MAX) return;
      const { taskId, role, changelog } = one;
      if (!this.mayBegin(key, taskId)) continue;
      if (kept.find(taskId, changelog.store) === null && (role === 'waiting' || !this.turns.mayRead(taskId))) continue; // Y2, Y6
      const stop = new AbortController();
      const done = this.open(key, one, AbortSignal.any([stop.signal, this.stopping.signal])).finally(() => {
        this.opening.delete(key);
        this.wakeup.wake();
      });
      this.opening.set(key, { key, taskId, stop, done });
    }
  }

  private mayBegin(key: string, taskId: TaskId): boolean {
    if (this.copies.has(key) || this.opening.has(key) || this.init.isRunning(taskId)) return false;
    if ((this.failed.get(key)?.retryAtMs ?? 0) > this.init.ports.host.clock.monotonic()) return false;
    return this.room.hasRoomFor(key);
  }

  private async open(key: string, { taskId, role, changelog }: Wanted, signal: AbortSignal): Promise<void> {
    const { ports, kept, logger, isRunning, restores } = this.init;
    const { directory, room } = this;
    if (directory === null) return;
    const { store } = changelog;
    try {
      const copy = await openCopy({
        app: directory.app,
        ports,
        logger: logger.child({ role }),
        home: kept,
        taskId,
        changelog,
        pace: restores.pace,
        isWelcome: () => this.wanted.has(key) && !isRunning(taskId),
        claim: (bytes) => room.claim({ key, taskId, store, bytes }),
        signal,
      });
      if (copy === null) return this.sayGivenUp(key, taskId, store);
      this.copies.set(key, copy);
      if (!copy.isFilling) this.sayCaughtUp(copy);
      this.failed.delete(key);
      this.activeAtMs = ports.host.clock.monotonic();
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (error instanceof StateTooLargeError) this.sayNoRoom(taskId, store, Number(error.details.estimatedBytes));
      else if (signal.aborted && error instanceof AbortedError) this.sayGivenUp(key, taskId, store);
      else {
        this.say('copy-failed', taskId, changelog, error);
        this.pause(key);
      }
    } finally {
      room.arrived(key);
    }
  }

  /** Its load was ended: it is not wanted any more, or its task reads for itself. If it gave way, that is said with its turn. */
  private sayGivenUp(key: string, taskId: TaskId, store: string): void {
    if (this.wanted.has(key) && !this.init.isRunning(taskId)) return;
    this.init.logger.info('copy-ended', { taskId, store, because: 'not-wanted' });
  }

  private sayCaughtUp({ kept: { taskId, nextOffset }, changelog: { store } }: StoreCopy): void {
    this.init.logger.info('copy-caught-up', { taskId, store, position: nextOffset });
  }

  /** One fetch for all copies, applied; with none, a sleep. */
  private async turn(): Promise<void> {
    const { clock } = this.init.ports.host;
    const { directory } = this;
    if (directory === null || this.copies.size === 0) return this.wakeup.sleep(clock, NOTHING_TO_FOLLOW_MS);
    this.upkeep ??= new CopyUpkeep({ app: directory.app, log: this.init.ports.log, clock });
    for (const gone of await this.upkeep.turn([...this.copies.values()])) this.lose(gone.copy, gone.error);
    const following = this.nextToFetch(false);
    const filling = this.nextToFetch(true);
    const { pollMs, fetchMaxBytes } = directory.app.settings;
    const isFilling = [...this.copies.values()].some((copy) => copy.isFilling && this.turns.mayRead(copy.kept.taskId));
    const maxWaitMs = filling.size > 0 ? 0 : isFilling ? FOLLOW_WAIT_MS : Math.max(pollMs, FOLLOW_WAIT_MS);
    if (following.size > 0) await this.fetchAll(following, { maxWaitMs, maxBytes: fetchMaxBytes });
    if (filling.size > 0) await this.fill(filling, fetchMaxBytes);
    if (following.size + filling.size === 0) await this.wakeup.sleep(clock, FOLLOW_WAIT_MS);
  }

  /** Y6. */
  private async fill(filling: ReadonlyMap<string, StoreCopy>, fetchMaxBytes: number): Promise<void> {
    const { clock } = this.init.ports.host;
    const { pace } = this.init.restores;
    const maxBytes = Math.min(fetchMaxBytes, pace?.fetchMaxBytes ?? fetchMaxBytes);
    const bytes = await this.fetchAll(filling, { maxWaitMs: FOLLOW_WAIT_MS, maxBytes });
    if (pace === null) return;
    const nowMs = clock.monotonic();
    this.fillAtMs = nowMs + pace.spend(bytes, nowMs);
  }

  /** @returns the bytes that were read */
  private async fetchAll(asked: ReadonlyMap<string, StoreCopy>, options: FetchBounds): Promise<number> {
    const askedAtMs = this.init.ports.host.clock.now();
    const answers = await this.fetch(asked, options);
    let bytes = 0;
    for (const answer of answers) {
      const copy = asked.get(topicPartitionKey(answer));
      if (copy !== undefined) await this.apply(copy, answer, askedAtMs);
      bytes += bytesOf(answer.records);
    }
    return bytes;
  }

  /** Those that follow, or those that are being read back and may be, by changelog partition. Of two stores of one changelog the one behind goes first. */
  private nextToFetch(isFilling: boolean): ReadonlyMap<string, StoreCopy> {
    const { clock } = this.init.ports.host;
    const isHeldBack = clock.monotonic() < this.fillAtMs;
    const asked = new Map<string, StoreCopy>();
    for (const copy of this.copies.values()) {
      if (copy.request === null || !copy.isHere || copy.isFilling !== isFilling) continue;
      if (isFilling && !this.turns.mayRead(copy.kept.taskId)) continue;
      if (isFilling && isHeldBack && clock.now() < copy.hurryWallMs) continue;
      const key = topicPartitionKey(copy.changelog);
      const other = asked.get(key);
      if (other === undefined || other.kept.nextOffset > copy.kept.nextOffset) asked.set(key, copy);
    }
    return asked;
  }

  private async fetch(
    asked: ReadonlyMap<string, StoreCopy>,
    { maxWaitMs, maxBytes }: FetchBounds,
  ): Promise<readonly FetchResult[]> {
    const requests = [...asked.values()].flatMap(({ request }) => request ?? []);
    try {
      return await this.init.ports.log.fetch(requests, {
        isolation: 'readCommitted',
        maxWaitMs,
        maxBytes,
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
      const wasFilling = copy.isFilling;
      const records = await copy.take(answer, askedAtMs);
      if (wasFilling && !copy.isFilling) this.sayCaughtUp(copy);
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
