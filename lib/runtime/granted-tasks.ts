/**
 * Which tasks a member should run, and the leases that it takes for them.
 *
 * Invariants
 *   G1  a lease is taken only if the rules allow it for the newest plan read (P5; rules.ts), with the lease just read as expected
 *   G2  a task that the plan gives to somebody else is handed back in order: batch finished, committed, released
 *   G3  what a predecessor of the same slot still holds while it hands over is waited for a moment, then taken
 */
import type { Incarnation, Lease, Plan } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';
import { type Grants, goals, mayKeep, mayTakeGoal, needsDoorbellRule } from './grants.js';
import type { MemberTasks } from './member-tasks.js';
import type { RuntimePorts } from './ports.js';
import type { TaskDirectory } from './task-directory.js';

/** How long a successor lets its predecessor finish before it takes what that still holds. */
const PREDECESSOR_PATIENCE_MS = 1_000;

export interface GrantedTasksInit {
  readonly ports: RuntimePorts;
  readonly self: Incarnation;
  readonly tasks: MemberTasks;
  /** Tasks that a doorbell wants run, granted or not. */
  readonly wanted: ReadonlySet<TaskId>;
  readonly predecessorDrains: boolean;
}

export class GrantedTasks {
  private readonly init: GrantedTasksInit;
  private readonly startedMs: number;

  constructor(init: GrantedTasksInit) {
    this.init = init;
    this.startedMs = init.ports.host.clock.monotonic();
  }

  /** Asks tasks that the plan has moved to somebody else to stop. */
  revoke(plan: Plan | null): void {
    const { tasks } = this.init;
    const grants = this.grants(plan);
    for (const taskId of tasks.ids) if (!mayKeep(grants, taskId)) tasks.stop(taskId, 'revoked');
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
    for (const taskId of goals(this.grants(plan))) {
      if (tasks.status(taskId) !== undefined) continue; // running, or still handing back
      const pauseMs = (tasks.retryAtMs(taskId) ?? 0) - ports.host.clock.monotonic();
      const taken = pauseMs > 0 ? false : await this.takeOne(plan, directory, taskId);
      if (!taken) againMs = Math.min(againMs ?? Number.POSITIVE_INFINITY, Math.max(pollMs, pauseMs));
    }
    return againMs;
  }

  private grants(plan: Plan | null): Grants {
    const { self, wanted } = this.init;
    return { plan, self, wanted };
  }

  private async takeOne(plan: Plan | null, directory: TaskDirectory, taskId: TaskId): Promise<boolean> {
    const { ports, self, tasks } = this.init;
    const lease = await ports.leases.readLease(taskId);
    if (!(await this.mayTakeNow(plan, taskId, lease))) return false;
    const taken = await ports.leases.takeLease({ taskId, owner: self, expected: lease });
    if (taken.applied) tasks.start(directory, taskId, taken.item, lease, plan?.number ?? 0);
    return taken.applied;
  }

  private async mayTakeNow(plan: Plan | null, taskId: TaskId, lease: Lease | null): Promise<boolean> {
    const grants = this.grants(plan);
    const members = needsDoorbellRule(grants, taskId) ? await this.init.ports.leases.listMembers() : null;
    const decision = mayTakeGoal(grants, { taskId, lease, members });
    return decision.may && (decision.because !== 'own-slot' || !this.isPredecessorFinishing());
  }

  private isPredecessorFinishing(): boolean {
    const { predecessorDrains, ports } = this.init;
    return predecessorDrains && ports.host.clock.monotonic() - this.startedMs < PREDECESSOR_PATIENCE_MS;
  }
}
