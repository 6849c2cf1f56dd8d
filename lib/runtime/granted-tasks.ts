/**
 * Which tasks a member should run, and the leases that it takes for them.
 *
 * Invariants
 *   G1  a lease is taken only if the rules allow it for the newest plan read (P5; rules.ts), with the lease just read as expected
 *   G2  a task that the plan gives to somebody else is handed back in order: batch finished, committed, released; when, says
 *       hand-backs.ts
 *   G3  what a predecessor of the same slot still holds while it hands over is waited for (predecessor.ts), then taken
 *   G4  a task that this application does not have, since a plan of another version of it grants it, is left alone: its lease is for
 *       a member that can run it
 *   G5  who has lost its slot takes and starts nothing more, also in the midst of a look that a slow table has held up
 */
import type { Incarnation, Lease, Plan } from '../leases/records.js';
import type { Settings } from '../model/settings.js';
import type { TaskId } from '../model/task-id.js';
import { type Grants, goals, mayKeep, mayTakeGoal, needsDoorbellRule } from './grants.js';
import { HandBacks } from './hand-backs.js';
import type { MemberTasks } from './member-tasks.js';
import type { RuntimePorts } from './ports.js';
import type { Predecessor } from './predecessor.js';
import type { TaskDirectory } from './task-directory.js';

/** How often a lease is looked at that somebody is about to release, */
const RELEASE_POLL_MS = 50;
/** for this long; after that as often as the caller says. */
const RELEASE_POLLS_FOR_MS = 5_000;
/** Leases that are taken at once: who takes over from a member that has died takes many. */
const TAKES_AT_ONCE = 16;

export interface GrantedTasksInit {
  readonly ports: RuntimePorts;
  readonly self: Incarnation;
  readonly tasks: MemberTasks;
  /** Tasks that a doorbell wants run, granted or not. */
  readonly wanted: ReadonlySet<TaskId>;
  readonly predecessor: Predecessor;
  /** Whether the slot is lost: what is being read meanwhile is of no use any more (G5). */
  readonly isLost: () => boolean;
}

export class GrantedTasks {
  private readonly init: GrantedTasksInit;
  private readonly handBacks: HandBacks;
  /** Since when a task is granted and somebody else holds it, in monotonic milliseconds. */
  private readonly waitedForSinceMs = new Map<TaskId, number>();

  constructor(init: GrantedTasksInit) {
    this.init = init;
    this.handBacks = new HandBacks({ ports: init.ports, self: init.self.memberId });
  }

  /** Asks tasks that the plan has moved to somebody else to stop. @returns whether some go on until their next owner is ready */
  async revoke(plan: Plan | null, settings: Settings): Promise<boolean> {
    if (plan === null) return false;
    const { tasks } = this.init;
    const grants = this.grants(plan);
    const moved = tasks.ids.filter((taskId) => !mayKeep(grants, taskId));
    if (moved.length === 0) return false;
    const due = await this.handBacks.due(plan, moved, settings);
    for (const taskId of due) tasks.stop(taskId, 'revoked');
    return due.length < moved.length;
  }

  /** Tasks that should run here, running or not. */
  goals(plan: Plan | null): ReadonlySet<TaskId> {
    return goals(this.grants(plan));
  }

  /**
   * Takes what is granted and not yet running.
   *
   * @returns when to look again, in milliseconds from now: soon while somebody else still holds a granted task; null if nothing
   *   is waited for
   */
  async take(plan: Plan | null, directory: TaskDirectory, pollMs: number): Promise<number | null> {
    const { tasks, ports } = this.init;
    let againMs: number | null = null;
    const wanted = this.goals(plan);
    for (const taskId of this.waitedForSinceMs.keys()) if (!wanted.has(taskId)) this.waitedForSinceMs.delete(taskId);
    const missing = [...wanted]
      .filter((taskId) => tasks.status(taskId) === undefined) // running, or still handing back
      .filter((taskId) => directory.tasks.has(taskId)); // G4
    for (let from = 0; from < missing.length; from += TAKES_AT_ONCE) {
      if (this.init.isLost()) break;
      const some = missing.slice(from, from + TAKES_AT_ONCE);
      const takes = await Promise.allSettled(
        some.map(async (taskId) => {
          const pauseMs = (tasks.retryAtMs(taskId) ?? 0) - ports.host.clock.monotonic();
          const taken = pauseMs > 0 ? false : await this.takeOne(plan, directory, taskId);
          if (taken) this.waitedForSinceMs.delete(taskId);
          else againMs = Math.min(againMs ?? Number.POSITIVE_INFINITY, Math.max(this.pollMs(taskId, pollMs), pauseMs));
        }),
      );
      // Only now: a take that was on its way when the next look began would be taken for somebody else's.
      for (const take of takes) if (take.status === 'rejected') throw take.reason;
    }
    return againMs;
  }

  /** Tasks that the plan grants to this member and that its application does not have (G4). */
  unknown(plan: Plan | null, directory: TaskDirectory): readonly TaskId[] {
    return [...this.goals(plan)].filter((taskId) => !directory.tasks.has(taskId));
  }

  private pollMs(taskId: TaskId, pollMs: number): number {
    const { predecessor } = this.init;
    const waitedMs = this.waitedMs(taskId);
    if (predecessor.isWarmingUp) return pollMs; // nobody is about to release anything yet
    return predecessor.isFinishing || waitedMs < RELEASE_POLLS_FOR_MS ? Math.min(RELEASE_POLL_MS, pollMs) : pollMs;
  }

  /** Since the first time that a granted task was not to be had; that is now, if there was none. */
  private waitedMs(taskId: TaskId): number {
    const nowMs = this.init.ports.host.clock.monotonic();
    const sinceMs = this.waitedForSinceMs.get(taskId) ?? nowMs;
    this.waitedForSinceMs.set(taskId, sinceMs);
    return nowMs - sinceMs;
  }

  private grants(plan: Plan | null): Grants {
    const { self, wanted } = this.init;
    return { plan, self, wanted };
  }

  private async takeOne(plan: Plan | null, directory: TaskDirectory, taskId: TaskId): Promise<boolean> {
    const { ports, self, tasks } = this.init;
    const lease = await ports.leases.readLease(taskId);
    if (!(await this.mayTakeNow(plan, taskId, lease)) || this.init.isLost()) return false;
    const taken = await ports.leases.takeLease({ taskId, owner: self, expected: lease });
    const task = { taskId, previous: lease, planNumber: plan?.number ?? 0, waitedMs: this.waitedMs(taskId) };
    if (taken.applied && !this.init.isLost()) tasks.start(directory, { ...task, lease: taken.item });
    return taken.applied;
  }

  private async mayTakeNow(plan: Plan | null, taskId: TaskId, lease: Lease | null): Promise<boolean> {
    const grants = this.grants(plan);
    const members = needsDoorbellRule(grants, taskId) ? await this.init.ports.leases.listMembers() : null;
    const decision = mayTakeGoal(grants, { taskId, lease, members });
    return decision.may && (decision.because !== 'own-slot' || !this.init.predecessor.isFinishing);
  }
}
