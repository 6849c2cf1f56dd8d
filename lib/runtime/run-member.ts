/**
 * One incarnation of one member: claims a slot, keeps it, runs the tasks that the plan grants it, and leaves in order.
 *
 * ```
 *   claim ──▶ running ──▶ stopping ──▶ ended      idle, stopped, retired: commit, release, free the slot
 *     │          ├──────▶ draining ──▶ ended      deadline near: the slot's next incarnation is invoked, then as above
 *     │          └──────▶ lost ──────▶ ended      slot gone or not renewed in time: nothing is committed or released
 *     └▶ no slot
 * ```
 *
 * Invariants (docs/design.md §5)
 *   M1  nothing is touched before the slot is claimed; who finds no slot ends at once
 *   M2  leases are taken as granted-tasks.ts says, tasks run as run-task.ts says, copies are kept as member-copies.ts says
 *   M3  a member that has lost its slot (heartbeat.ts) writes nothing any more
 *   M4  it ends before its deadline, with no transaction open, and its successor is invoked, and has warmed up, before it stops working
 *   M5  what nobody caught is for the application's handler to decide (uncaught.ts): the task that failed is taken again, the member
 *       ends with the error once its other tasks are handed back, or it asks for the application's rest and runs these until that comes
 *   M6  a plan of another version of the application may grant it tasks that its own does not have. It takes none of these (G4 of
 *       granted-tasks.ts). Where that plan came while it ran, it hands over early: its slot's next incarnation runs the code of now. Where
 *       it began under such a plan, its code is newer or was invoked last, and it waits for the plan that fits it
 */
import type { Logger } from '../host/host.js';
import { isSameIncarnation } from '../leases/lease-transitions.js';
import type { Incarnation, Member, MemberId, MemberReport, Plan, ShutdownRequest } from '../leases/records.js';
import { idleTimeoutMsOf } from '../leases/resident-slots.js';
import { asStreamsError, type StreamsError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { TopicPartitionKey } from '../model/topic-partition.js';
import type { StreamsApp } from '../topology/app.js';
import { hasPatterns } from '../topology/topic-patterns.js';
import { type ClaimedSlot, claimSlot } from './claim-slot.js';
import { CopiesWatch } from './copies-watch.js';
import { copyRoles } from './copy-roles.js';
import { type EventListener, observedLogger } from './events.js';
import { GrantedTasks } from './granted-tasks.js';
import { handOver } from './hand-over.js';
import { Heartbeat } from './heartbeat.js';
import { KeptStores } from './kept-stores.js';
import { MemberCopies } from './member-copies.js';
import { type EndReason, whyEnd } from './member-end.js';
import { MemberGlobals } from './member-globals.js';
import { MemberRestores } from './member-restores.js';
import { MemberTasks } from './member-tasks.js';
import { deathSignal, mortalPorts, untilDeath } from './mortal-ports.js';
import type { RuntimePorts } from './ports.js';
import { Predecessor } from './predecessor.js';
import type { TaskOutcome } from './run-task.js';
import { StartRecords } from './start-records.js';
import { StopSource } from './stop.js';
import { loadTaskDirectory, type TaskDirectory } from './task-directory.js';
import { judgeUncaught } from './uncaught.js';
import { Wakeup } from './wakeup.js';

/** How often a member looks at a lease or a slot that somebody else has to give up first. */
export const HANDOVER_POLL_MS = 200;
/** How often a member with copies looks whether a plan makes it more of one: heartbeats are too slow for a failover. */
const COPIES_POLL_MS = 100;
/** Before its deadline a member begins to hand over this early, */
const DRAIN_LEAD_MOST_MS = 30_000;
/** or with this part of its time left, if that is less. */
const DRAIN_LEAD_PART = 0.2;
/** Characters of an error's message that go into a table. */
const REPORTED_MESSAGE_MAX = 500;
/** A member looks after idleness and deadline at least this often. */
const LONGEST_WAIT_MS = 1_000;

export interface RunMemberOptions {
  readonly app: StreamsApp;
  readonly ports: RuntimePorts;
  /** The slot that this invocation is for, and the incarnation that it may become. */
  readonly memberId: MemberId;
  readonly incarnation: number;
  /** Slots that others were invoked for at the same moment: who holds the stores of one of them may become that. */
  readonly others?: readonly Incarnation[];
  /** Stores that this process holds from earlier runs. */
  readonly kept?: KeptStores;
  /** Capacity, zone and other tags, for the assignor. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Memory of this process, of which its state may take a part (state-budget.ts). Absent: nobody says, and nothing is refused for it. */
  readonly memoryBytes?: number;
  /** When this invocation has to be over, on the host's monotonic clock; absent: never. */
  readonly deadlineAtMonotonicMs?: number;
  /** Ends the member in order; with the reason `'crash'` it dies at once instead. */
  readonly signal?: AbortSignal;
  /** Ends the process at once: from the next call to the outside on, nothing has any effect. */
  readonly crash?: AbortSignal;
  readonly onEvent?: EventListener;
  /** Tasks to run although the plan grants them to nobody, up to these offsets at least (run-doorbell.ts). */
  readonly doorbell?: ReadonlyMap<TaskId, ReadonlyMap<TopicPartitionKey, Offset>>;
  /** Called once the slot is claimed; the member works meanwhile and waits for it at its end. Must not throw. */
  readonly onClaimed?: (claimed: ClaimedMember) => Promise<void>;
  /** Called when the handler of uncaught exceptions has answered `shutdownClient`: the member ends, and throws the error. */
  readonly onShutdownClient?: (error: StreamsError) => void;
}

/** An incarnation that has its slot, with the ports and the logger of its process. */
export interface ClaimedMember {
  readonly self: Incarnation;
  readonly ports: RuntimePorts;
  readonly logger: Logger;
}

export interface MemberOutcome {
  /**
   * `no-slot` a duplicate or late event · `idle` · `stopped` by the signal · `retired` the plan no longer names it · `drained`
   * before its deadline · `lost` its slot · `crashed`.
   */
  readonly ended: 'no-slot' | EndReason | 'crashed';
  /** What it was; the slot it was invoked for if it claimed none. */
  readonly memberId: MemberId;
  readonly incarnation: number;
  readonly recordsProcessed: number;
}

/**
 * Runs one incarnation of a member to its end.
 *
 * @throws {PartitionCountChangedError} STREAMS_PARTITION_COUNT_CHANGED · {InternalError} STREAMS_INTERNAL and other errors that
 *   trying again does not mend, and that the application's handler does not have tried again: the slot is freed first
 */
export async function runMember(options: RunMemberOptions): Promise<MemberOutcome> {
  const death = deathSignal(options.signal, options.crash);
  const ports = mortalPorts(options.ports, death);
  const outcome = (ended: MemberOutcome['ended'], self: Incarnation, recordsProcessed = 0): MemberOutcome => ({
    ended,
    memberId: self.memberId,
    incarnation: self.incarnation,
    recordsProcessed,
  });
  let run: MemberRun | null = null;
  try {
    const kept = options.kept ?? new KeptStores();
    const claim = await claimSlot({
      leases: ports.leases,
      clock: ports.host.clock,
      invokedFor: options,
      others: options.others ?? [],
      held: kept.positions(),
      tags: options.tags ?? {},
      idleTimeoutMs: options.app.settings.idleTimeoutMs,
    });
    if (claim === null) return outcome('no-slot', options);
    run = new MemberRun({ ...options, ports, kept }, claim);
    const ended = await untilDeath(death, run.run());
    return outcome(death?.aborted === true ? 'crashed' : ended, claim.member, run.recordsProcessed);
  } catch (thrown) {
    if (death?.aborted !== true) throw thrown;
    return outcome('crashed', run?.self ?? options, run?.recordsProcessed ?? 0);
  }
}

class MemberRun {
  readonly self: Incarnation;
  private readonly options: RunMemberOptions;
  private readonly logger: Logger;
  private readonly globals: MemberGlobals;
  private readonly restores: MemberRestores;
  private readonly tasks: MemberTasks;
  private readonly granted: GrantedTasks;
  private readonly copies: MemberCopies;
  private readonly copiesWatch: CopiesWatch;
  private readonly predecessor: Predecessor;
  private readonly heartbeat: Heartbeat;
  private readonly starts: StartRecords;
  private readonly wakeup = new Wakeup();
  private readonly stop = new StopSource();
  private readonly startedMs: number;
  /** Monotonic milliseconds since which there was nothing to do in this slot, unless its tasks have worked since. */
  private readonly idleSinceMs: number;
  private drainAtMs: number;
  private announced: number;
  private plan: Plan | null = null;
  private hasLookedForPlan = false;
  /** Number of the first plan that it has read. */
  private firstPlan: number | null = null;
  private directory: TaskDirectory | null = null;
  private waitsForLeases = false;
  private waitsForSuccessors = false;
  private failure: StreamsError | null = null;
  private successorSeen = false;
  private asked: ShutdownRequest | null = null;

  constructor(options: RunMemberOptions & { readonly kept: KeptStores }, claimed: ClaimedSlot) {
    const { member, predecessorDrains, idleForMs, sentAt } = claimed;
    const { app, ports, kept, onEvent, deadlineAtMonotonicMs } = options;
    const { memberId, incarnation } = member;
    this.options = options;
    this.self = { memberId, incarnation };
    this.logger = observedLogger(ports.host.logger, onEvent).child({ ...this.self });
    this.announced = member.planNumber;
    this.predecessor = new Predecessor(ports.host.clock, app.settings, predecessorDrains);
    this.startedMs = ports.host.clock.monotonic();
    this.idleSinceMs = this.startedMs - idleForMs;
    const leftMs = (deadlineAtMonotonicMs ?? Number.POSITIVE_INFINITY) - this.startedMs;
    this.drainAtMs = this.startedMs + leftMs - Math.min(DRAIN_LEAD_MOST_MS, leftMs * DRAIN_LEAD_PART);
    const { self } = this;
    this.globals = new MemberGlobals({
      app,
      ports,
      logger: this.logger,
      kept,
      ready: () => this.wakeup.wake(),
      failed: (error) => this.uncaught(error, null),
    });
    const { stores: globalStores } = this.globals;
    const ended = (outcome: TaskOutcome) => this.taskEnded(outcome);
    this.starts = new StartRecords(self, ports.leases, this.logger);
    this.restores = new MemberRestores({
      app,
      ports,
      self,
      logger: this.logger,
      memoryBytes: options.memoryBytes,
      reported: () => this.heartbeat.reported(),
      changed: () => this.heartbeat.beat(),
    });
    const { starts, restores } = this;
    this.tasks = new MemberTasks({ ports, self, kept, globalStores, onEvent, starts, restores, ended });
    this.granted = new GrantedTasks({
      ports,
      self,
      tasks: this.tasks,
      wanted: new Set(options.doorbell?.keys() ?? []),
      predecessor: this.predecessor,
      isLost: () => this.stop.reason === 'lost',
    });
    const isRunning = (taskId: TaskId) => this.tasks.status(taskId) !== undefined;
    this.copies = new MemberCopies({ ports, logger: this.logger, kept, isRunning, restores });
    this.copiesWatch = new CopiesWatch(ports);
    this.heartbeat = new Heartbeat({
      app,
      ports,
      self,
      claimSentAt: sentAt,
      report: () => this.report(),
      logger: this.logger,
      events: { renewed: (item) => this.renewed(item), lost: (seen) => this.lost(seen) },
    });
  }

  get recordsProcessed(): number {
    return this.tasks.report().recordsProcessed;
  }

  async run(): Promise<EndReason> {
    this.logger.info('member-claimed', { planNumber: this.announced });
    const beating = this.heartbeat.run().catch((thrown: unknown) => this.fail(asStreamsError(thrown)));
    const { self, logger, options } = this;
    const calling = options.onClaimed?.({ self, logger, ports: options.ports });
    const unlisten = this.listenToSignal();
    try {
      const ended = await this.runUntilEnd();
      this.logger.info('member-ended', { ended, recordsProcessed: this.recordsProcessed });
      return ended;
    } finally {
      unlisten();
      await this.copies.stop();
      await this.globals.stop();
      this.heartbeat.end();
      await beating;
      await calling;
    }
  }

  private async runUntilEnd(): Promise<EndReason> {
    let ended: EndReason | null = null;
    while (ended === null) {
      const waitMs = await this.turn();
      ended = this.shouldEnd();
      if (ended === null) await this.wakeup.sleep(this.options.ports.host.clock, waitMs);
      ended ??= this.shouldEnd();
    }
    await this.leave(ended);
    if (this.failure !== null) throw this.failure;
    return ended;
  }

  /** Brings what runs in line with the plan. @returns how long to sleep, in milliseconds */
  private async turn(): Promise<number> {
    this.starts.turn(this.options.ports.host.clock.monotonic());
    try {
      await this.readPlan();
      this.restores.follow(this.plan, this.granted.goals(this.plan));
      const { settings } = this.options.app;
      this.waitsForSuccessors = await this.granted.revoke(this.plan, settings);
      const againMs = await this.takeGranted();
      this.waitsForLeases = againMs !== null;
      await this.copiesWatch.turn(this.activeAtMs(), this.copies.taskIds, settings.idleTimeoutMs);
      return Math.max(0, Math.min(againMs ?? Number.POSITIVE_INFINITY, this.longestWaitMs()));
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (error.kind !== 'transient') this.uncaught(error, null);
      else this.logger.warn('member-turn-failed', { code: error.code, message: error.message });
      return HANDOVER_POLL_MS;
    }
  }

  private async readPlan(): Promise<void> {
    // The first look needs no announcement: a doorbell's slot may be new, and must still respect what others are granted.
    if (this.copies.taskIds.length > 0) await this.lookAtSlot();
    if (this.hasLookedForPlan && this.announced <= (this.plan?.number ?? 0)) return;
    const plan = await this.options.ports.leases.readPlan();
    this.hasLookedForPlan = true;
    if (plan === null) return;
    this.plan = plan;
    this.firstPlan ??= plan.number;
    if (hasPatterns(this.options.app)) this.directory = null; // it may have recorded other topics
    // Who still runs what is granted here now waits until this member says that it has read so (hand-backs.ts).
    if ([...this.granted.goals(plan)].some((taskId) => this.tasks.status(taskId) === undefined)) this.heartbeat.beat();
  }

  /** Hears of a new plan sooner than the next heartbeat would tell. That the slot is somebody else's is for the heartbeat to find. */
  private async lookAtSlot(): Promise<void> {
    const seen = await this.options.ports.leases.readMember(this.self.memberId);
    if (seen !== null && isSameIncarnation(seen, this.self)) this.renewed(seen);
  }

  private async takeGranted(): Promise<number | null> {
    const { app, ports, doorbell } = this.options;
    if (this.asked !== null) return null; // nothing more until the rest has come
    const isWanted = doorbell !== undefined || (this.plan?.assignment[this.self.memberId]?.active.length ?? 0) > 0;
    const { isWarmingUp: warmsUp } = this.predecessor;
    const goals = this.granted.goals(this.plan);
    if (warmsUp && this.plan !== null && goals.size === 0) this.readyToTakeOver();
    const roles = copyRoles({ plan: this.plan, self: this.self.memberId, goals, warmsUp });
    if (!isWanted && roles.size === 0 && this.copies.taskIds.length === 0) return null;
    this.globals.start();
    if (this.directory === null) {
      this.directory = await loadTaskDirectory(app, ports.log, this.plan);
      this.tasks.stopOutdated(this.directory);
    }
    this.copies.want(this.directory, roles);
    if (!isWanted) return null;
    if (!this.globals.isReady) return LONGEST_WAIT_MS; // it wakes us
    this.leaveIfOutdated(this.directory);
    if (warmsUp) this.noteReady(this.directory, goals);
    return this.granted.take(this.plan, this.directory, HANDOVER_POLL_MS);
  }

  /** The predecessor may let go once there is a copy of all that it still runs. */
  private noteReady(directory: TaskDirectory, goals: ReadonlySet<TaskId>): void {
    const missing = [...goals].filter((taskId) => this.tasks.status(taskId) === undefined);
    const { acceptableRecoveryLag } = this.options.app.settings;
    if (this.copies.areCurrent(directory, missing, acceptableRecoveryLag)) this.readyToTakeOver();
  }

  private readyToTakeOver(): void {
    this.predecessor.ready();
    this.heartbeat.beat();
  }

  /** M6. */
  private leaveIfOutdated(directory: TaskDirectory): void {
    const unknown = this.granted.unknown(this.plan, directory);
    if (unknown.length === 0 || (this.plan?.number ?? 0) <= (this.firstPlan ?? 0) || this.isDraining()) return;
    this.logger.warn('member-outdated', { planNumber: this.plan?.number, unknown });
    this.drainAtMs = this.options.ports.host.clock.monotonic();
  }

  private shouldEnd(): EndReason | null {
    const { signal, ports, doorbell, app } = this.options;
    const nowMs = ports.host.clock.monotonic();
    return whyEnd({
      isLost: this.stop.reason === 'lost',
      isAskedToStop: this.failure !== null || signal?.aborted === true,
      nowMs,
      drainAtMs: this.drainAtMs,
      isListed: this.isListed(),
      isForDoorbell: doorbell !== undefined,
      isAtRest: this.plan?.rest !== undefined,
      idleTimeoutMs: idleTimeoutMsOf(app.settings, this.self.memberId),
      hasWork: this.waitsForLeases || this.tasks.isShortOf(doorbell ?? new Map()),
      activeAtMs: this.copiesWatch.ofUseAtMs(this.activeAtMs()),
    });
  }

  /** Whether the plan wants the slot; null before the first. Who still works for its successors is not gone yet. */
  private isListed(): boolean | null {
    if (this.plan === null) return null;
    return this.waitsForSuccessors || this.plan.assignment[this.self.memberId] !== undefined;
  }

  /** Monotonic milliseconds of the last moment at which there was something to do here: for tasks, or for copies. */
  private activeAtMs(): number {
    const nowMs = this.options.ports.host.clock.monotonic();
    return Math.max(this.startedMs, this.tasks.activeAtMs(nowMs), this.copies.activeAtMs ?? 0);
  }

  private longestWaitMs(): number {
    const { app, ports } = this.options;
    const toDrainMs = this.drainAtMs - ports.host.clock.monotonic();
    const soonMs = Math.min(
      this.waitsForSuccessors ? HANDOVER_POLL_MS : LONGEST_WAIT_MS,
      this.copies.taskIds.length > 0 ? COPIES_POLL_MS : LONGEST_WAIT_MS,
    );
    return Math.min(soonMs, app.settings.heartbeatIntervalMs, toDrainMs);
  }

  private async leave(ended: EndReason): Promise<void> {
    const { ports, app, signal } = this.options;
    const { self } = this;
    if (ended === 'drained') {
      await this.keepRestores();
      await handOver({
        app,
        ports,
        self,
        logger: this.logger,
        // Longer than the time-out no invocation is on its way.
        untilMs: this.drainAtMs + Math.min(this.toHandOverMs() / 2, app.settings.sessionTimeoutMs),
        isOver: () => this.stop.reason === 'lost' || signal?.aborted === true,
        pollMs: HANDOVER_POLL_MS,
      });
    }
    const isLost = () => this.stop.reason === 'lost';
    this.tasks.stopAll(isLost() ? 'lost' : ended === 'drained' ? 'draining' : ended === 'idle' ? 'idle' : 'stopped');
    await this.tasks.allEnded();
    await this.copies.stop();
    await this.globals.stop();
    this.heartbeat.end();
    if (isLost()) return;
    if (!this.successorSeen) await this.freeSlot();
    await this.starts.finish();
  }

  /** From the beginning of its hand-over to its deadline; who has none (M6) takes the time that a successor has to come, and as much again. */
  private toHandOverMs(): number {
    const { app, deadlineAtMonotonicMs } = this.options;
    return (deadlineAtMonotonicMs ?? this.drainAtMs + 2 * app.settings.sessionTimeoutMs) - this.drainAtMs;
  }

  /** What the successor is to go on from has to be there before it begins; half of the time that is left is for handing over. */
  private async keepRestores(): Promise<void> {
    const { clock } = this.options.ports.host;
    const waited = new AbortController();
    const kept = this.tasks.stopStarting('draining').finally(() => waited.abort());
    await Promise.race([kept, clock.sleep(this.toHandOverMs() / 4, waited.signal).catch(() => kept)]);
  }

  /** Where the table is away the slot stays claimed until the scheduler sees its heartbeat stand still. */
  private async freeSlot(): Promise<void> {
    try {
      const freed = await this.options.ports.leases.freeMember(this.self);
      if (!freed.applied) this.logger.info('slot-already-taken', { seen: freed.item });
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (error.kind !== 'transient') throw error;
      this.logger.warn('slot-not-freed', { code: error.code, message: error.message });
    }
  }

  private renewed(member: Member): void {
    if (member.planNumber <= this.announced) return;
    this.announced = member.planNumber;
    this.logger.info('plan-announced', { planNumber: member.planNumber });
    this.wakeup.wake();
  }

  private lost(seen: Member | null): void {
    if (this.stop.reason === 'lost') return;
    const isSuccessor = seen !== null && seen.incarnation > this.self.incarnation;
    if (isSuccessor && this.isDraining()) this.successorSeen = true;
    else this.lose(seen);
    this.wakeup.wake();
  }

  private lose(seen: Member | null): void {
    this.logger.warn('slot-lost', { seen });
    this.stop.request('lost');
    this.tasks.stopAll('lost');
    void this.copies.stop(); // stores of the tasks that end now are nobody's to follow; leaving waits for it
  }

  private isDraining(): boolean {
    return this.options.ports.host.clock.monotonic() >= this.drainAtMs;
  }

  private report(): MemberReport {
    const nowMs = this.options.ports.host.clock.monotonic();
    const idleForMs = Math.round(nowMs - Math.max(this.idleSinceMs, this.tasks.workedAtMs(nowMs)));
    const report = {
      ...this.tasks.report(),
      ...(this.plan === null || this.predecessor.isWarmingUp ? {} : { planRead: this.plan.number }),
      ...(idleForMs > 0 ? { idleForMs } : {}),
    };
    return this.asked === null ? report : { ...report, shutdown: this.asked };
  }

  private taskEnded({ taskId, ended, error }: TaskOutcome): void {
    if (ended === 'failed' && error !== null) this.uncaught(error, taskId);
    this.wakeup.wake();
  }

  /** M5. */
  private uncaught(error: StreamsError, taskId: TaskId | null): void {
    if (this.failure !== null || this.asked !== null) return;
    const { app } = this.options;
    const failingForMs = taskId === null ? 0 : this.tasks.failingForMs(taskId);
    switch (judgeUncaught(app, this.logger, { error, taskId, failingForMs })) {
      case 'replace-task':
        return;
      case 'end-member':
        this.fail(error);
        return;
      case 'shut-down-client':
        this.options.onShutdownClient?.(error);
        this.fail(error);
        return;
      case 'shut-down-application':
        this.askForRest(error, taskId);
    }
  }

  private askForRest({ code, message }: StreamsError, taskId: TaskId | null): void {
    this.asked = {
      taskId,
      code,
      message: message.slice(0, REPORTED_MESSAGE_MAX),
      planNumber: this.plan?.number ?? 0,
    };
    this.heartbeat.beat();
    this.wakeup.wake();
  }

  private fail(error: StreamsError): void {
    this.failure ??= error;
    this.wakeup.wake();
  }

  private listenToSignal(): () => void {
    const { signal } = this.options;
    const wake = () => this.wakeup.wake();
    signal?.addEventListener('abort', wake, { once: true });
    return () => signal?.removeEventListener('abort', wake);
  }
}
