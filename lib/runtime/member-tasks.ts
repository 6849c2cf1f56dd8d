import type { Incarnation, Lease, MemberReport, TaskLoad } from '../leases/records.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { ByteStore } from '../state/byte-store.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import type { EventListener } from './events.js';
import type { KeptStores } from './kept-stores.js';
import type { MemberRestores } from './member-restores.js';
import type { RuntimePorts } from './ports.js';
import { runTask, type TaskOutcome } from './run-task.js';
import type { StartRecords } from './start-records.js';
import { type StopReason, StopSource } from './stop.js';
import type { TaskDirectory } from './task-directory.js';
import { mostLoaded, TaskMeter } from './task-meter.js';
import { type TaskPhase, TaskStatus } from './task-status.js';

/** First and longest pause before a member tries a task again that failed. */
const FAILED_RETRY_FIRST_MS = 1_000;
const FAILED_RETRY_MOST_MS = 60_000;

/** Phases of a task that has to read before it can run. */
const STARTING: ReadonlySet<TaskPhase> = new Set<TaskPhase>(['waiting-to-restore', 'restoring']);

interface RunningTask {
  readonly spec: TaskSpec;
  readonly stop: StopSource;
  readonly status: TaskStatus;
  readonly meter: TaskMeter;
  readonly done: Promise<void>;
}

/** A task whose lease was just taken. */
export interface TakenTask {
  readonly taskId: TaskId;
  readonly lease: Lease;
  /** The lease as it was before; null if there was none. */
  readonly previous: Lease | null;
  /** Of the plan by which it was; 0: there was none. */
  readonly planNumber: number;
  /** For how long it had been granted and was not to be had, in milliseconds. */
  readonly waitedMs: number;
}

interface FailedTask {
  readonly failures: number;
  /** Monotonic time of the first of them. */
  readonly sinceMs: number;
  readonly retryAtMs: number;
}

export interface MemberTasksInit {
  readonly ports: RuntimePorts;
  readonly self: Incarnation;
  readonly kept: KeptStores;
  /** By name; the tasks read them. */
  readonly globalStores: ReadonlyMap<string, ByteStore>;
  readonly onEvent: EventListener | undefined;
  readonly starts: StartRecords;
  readonly restores: MemberRestores;
  /** Called when a run has ended. */
  readonly ended: (outcome: TaskOutcome) => void;
}

/** The tasks that a member runs: each in a loop of its own, side by side. */
export class MemberTasks {
  private readonly init: MemberTasksInit;
  private readonly running = new Map<TaskId, RunningTask>();
  private readonly failed = new Map<TaskId, FailedTask>();
  private recordsOfEnded = 0;
  /** Monotonic milliseconds at which a task that has ended last processed something; −∞: none has. */
  private endedWorkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(init: MemberTasksInit) {
    this.init = init;
  }

  get ids(): readonly TaskId[] {
    return [...this.running.keys()];
  }

  status(taskId: TaskId): TaskStatus | undefined {
    return this.running.get(taskId)?.status;
  }

  /** Runs a task whose lease was just taken. */
  start(directory: TaskDirectory, taken: TakenTask): void {
    const { taskId, lease, previous, planNumber, waitedMs } = taken;
    const { ports, self, kept, globalStores, onEvent, starts, restores } = this.init;
    const { app } = directory;
    const task = directory.tasks.get(taskId);
    if (task === undefined) return;
    const stop = new StopSource();
    const takenMonotonicMs = ports.host.clock.monotonic();
    const status = new TaskStatus(taskId, takenMonotonicMs, waitedMs);
    starts.begin({ lease, previous, planNumber, takenAtMs: ports.host.clock.now(), takenMonotonicMs, status });
    const { partitionCounts, topicIds } = directory;
    const outcome = runTask({
      app,
      ports,
      task,
      partitionCounts,
      topicIds,
      owner: self,
      lease,
      previous,
      stop,
      kept,
      globalStores,
      status,
      restores,
      ...(onEvent === undefined ? {} : { onEvent }),
    });
    const meter = new TaskMeter(ports.host.clock.monotonic());
    this.running.set(taskId, { spec: task, stop, status, meter, done: outcome.then((ended) => this.ended(ended)) });
  }

  stop(taskId: TaskId, reason: StopReason): void {
    this.running.get(taskId)?.stop.request(reason);
  }

  /** Asks tasks whose inputs have become others to stop, so that they are taken again with these: a pattern matches other topics now. */
  stopOutdated(directory: TaskDirectory): void {
    for (const [taskId, { spec, stop }] of this.running) {
      if (inputsOf(directory.tasks.get(taskId)) !== inputsOf(spec)) stop.request('revoked');
    }
  }

  stopAll(reason: StopReason): void {
    for (const { stop } of this.running.values()) stop.request(reason);
  }

  /** Asks tasks that have not begun to run to stop; resolves when they have ended, with what they had restored kept for the next owner. */
  async stopStarting(reason: StopReason): Promise<void> {
    const starting = [...this.running.values()].filter(({ status }) => STARTING.has(status.phase));
    for (const { stop } of starting) stop.request(reason);
    await Promise.all(starting.map(({ done }) => done));
  }

  async allEnded(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  /** When a task that failed may be tried again, in monotonic milliseconds; null if it has not failed. */
  retryAtMs(taskId: TaskId): number | null {
    return this.failed.get(taskId)?.retryAtMs ?? null;
  }

  /** For how long a task has failed without a commit in between, in milliseconds. */
  failingForMs(taskId: TaskId): number {
    const since = this.failed.get(taskId)?.sinceMs;
    return since === undefined ? 0 : this.init.ports.host.clock.monotonic() - since;
  }

  report(): MemberReport {
    const statuses = [...this.running.values()].map(({ status }) => status);
    return {
      running: this.ids,
      positions: [...statuses.flatMap(({ positions }) => positions), ...this.init.kept.positions()],
      loads: this.loads(),
      recordsProcessed: this.recordsOfEnded + statuses.reduce((sum, { recordsCommitted }) => sum + recordsCommitted, 0),
      ...this.init.restores.report(statuses.filter(isStarting).map(({ taskId }) => taskId)),
    };
  }

  private loads(): readonly TaskLoad[] {
    const nowMs = this.init.ports.host.clock.monotonic();
    return mostLoaded([...this.running.values()].flatMap(({ meter, status }) => meter.read(status, nowMs) ?? []));
  }

  /** Monotonic milliseconds of the last moment at which a task had work; a task that is still starting has work now. */
  activeAtMs(nowMs: number): number {
    let latest = 0;
    for (const { status } of this.running.values()) {
      latest = Math.max(latest, status.phase === 'running' ? status.activeAtMs : nowMs);
    }
    return latest;
  }

  /**
   * Monotonic milliseconds of the last moment at which a task processed something, or knew of records to process; −∞: none has. That tasks
   * begin here is no work: those that members hand to each other would keep all awake.
   */
  workedAtMs(nowMs: number): number {
    let latest = this.endedWorkedAtMs;
    for (const { status } of this.running.values())
      latest = Math.max(latest, (status.lagRecords ?? 0) > 0 ? nowMs : status.workedAtMs);
    return latest;
  }

  /** Whether a task that runs here has not committed up to an offset that it is to reach. */
  isShortOf(goals: ReadonlyMap<TaskId, ReadonlyMap<TopicPartitionKey, Offset>>): boolean {
    for (const [taskId, until] of goals) {
      const committed = this.status(taskId)?.committed;
      if (committed === undefined) continue;
      for (const [input, toOffset] of until) if ((committed.get(input)?.nextOffset ?? 0) < toOffset) return true;
    }
    return false;
  }

  private ended(outcome: TaskOutcome): void {
    const workedAtMs = this.status(outcome.taskId)?.workedAtMs ?? this.endedWorkedAtMs;
    this.endedWorkedAtMs = Math.max(this.endedWorkedAtMs, workedAtMs);
    this.running.delete(outcome.taskId);
    this.init.starts.ended(outcome.taskId);
    this.init.restores.ended(outcome.taskId);
    this.recordsOfEnded += outcome.recordsCommitted;
    if (outcome.ended === 'failed') this.rememberFailure(outcome);
    else this.failed.delete(outcome.taskId);
    this.init.ended(outcome);
  }

  private rememberFailure({ taskId, recordsCommitted }: TaskOutcome): void {
    const nowMs = this.init.ports.host.clock.monotonic();
    const before = recordsCommitted > 0 ? undefined : this.failed.get(taskId);
    const failures = before?.failures ?? 0;
    const pauseMs = Math.min(FAILED_RETRY_MOST_MS, FAILED_RETRY_FIRST_MS * 2 ** failures);
    this.failed.set(taskId, {
      failures: failures + 1,
      sinceMs: before?.sinceMs ?? nowMs,
      retryAtMs: nowMs + pauseMs,
    });
  }
}

/** Whether a run has not come to process yet; one that recovers later has its stores. */
function isStarting({ marks }: TaskStatus): boolean {
  return marks.restoredMs === null;
}

function inputsOf(task: TaskSpec | undefined): string {
  return (task?.inputs ?? []).map(topicPartitionKey).join(' ');
}
