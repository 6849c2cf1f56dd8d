/**
 * When a task that the plan has moved is handed back: once its next owner has read that plan, and waits for it.
 *
 * Members hear of a plan with their heartbeats, each at another moment. Who hands back at once leaves the task to nobody until the other has
 * heard; who works on until then makes the pause as short as a release and a take.
 *
 * Invariants
 *   B1  a task that nobody is granted, or whose application rests, is handed back at once
 *   B2  nobody is waited for longer than {@link patienceMs}: the next owner may never come
 */
import type { MemberId, Plan } from '../leases/records.js';
import { isRun } from '../leases/rules.js';
import { asStreamsError } from '../model/errors.js';
import type { Settings } from '../model/settings.js';
import type { TaskId } from '../model/task-id.js';
import type { RuntimePorts } from './ports.js';

/** Heartbeat intervals within which a member that runs has heard of a plan, and said so. */
const HEARD_WITHIN_HEARTBEATS = 2;

export interface HandBacksInit {
  readonly ports: Pick<RuntimePorts, 'leases' | 'host'>;
  readonly self: MemberId;
}

/** Longest time that an owner works on for a successor who is not there yet; never long enough for the scheduler to give the plan up. */
export function patienceMs({ heartbeatIntervalMs, sessionTimeoutMs }: Settings): number {
  return Math.min(HEARD_WITHIN_HEARTBEATS * heartbeatIntervalMs, sessionTimeoutMs / 2);
}

export class HandBacks {
  private readonly init: HandBacksInit;
  /** By task: the plan that moves it, and when this member has first read of it. */
  private readonly known = new Map<TaskId, { readonly planNumber: number; readonly sinceMs: number }>();

  constructor(init: HandBacksInit) {
    this.init = init;
  }

  /** Which of the tasks that the plan has moved away are handed back now; the others are waited with. */
  async due(plan: Plan, moved: readonly TaskId[], settings: Settings): Promise<readonly TaskId[]> {
    for (const taskId of this.known.keys()) if (!moved.includes(taskId)) this.known.delete(taskId);
    const successors = new Map(moved.map((taskId) => [taskId, this.successorOf(plan, taskId)]));
    const waitedFor = moved.filter((taskId) => successors.get(taskId) !== null && this.mayWait(plan, taskId, settings));
    const ready = new Map<MemberId, boolean>();
    for (const taskId of waitedFor) {
      const successor = successors.get(taskId);
      if (successor != null && !ready.has(successor)) ready.set(successor, await this.isReady(successor, plan.number));
    }
    return moved.filter((taskId) => {
      const successor = successors.get(taskId);
      return !waitedFor.includes(taskId) || successor == null || ready.get(successor) === true;
    });
  }

  private successorOf(plan: Plan, taskId: TaskId): MemberId | null {
    if (plan.rest !== undefined) return null;
    const found = (Object.keys(plan.assignment) as MemberId[]).find((id) =>
      plan.assignment[id]?.active.includes(taskId),
    );
    return found === undefined || found === this.init.self ? null : found;
  }

  /** B2. */
  private mayWait({ number: planNumber }: Plan, taskId: TaskId, settings: Settings): boolean {
    const nowMs = this.init.ports.host.clock.monotonic();
    const known = this.known.get(taskId);
    if (known?.planNumber !== planNumber) {
      // Moved on by a newer plan: the patience with the first goes on.
      this.known.set(taskId, { planNumber, sinceMs: known?.sinceMs ?? nowMs });
    }
    return nowMs - (this.known.get(taskId)?.sinceMs ?? nowMs) < patienceMs(settings);
  }

  private async isReady(successor: MemberId, planNumber: number): Promise<boolean> {
    const { ports } = this.init;
    try {
      const member = await ports.leases.readMember(successor);
      return member !== null && isRun(member) && (member.report.planRead ?? 0) >= planNumber;
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (error.kind !== 'transient') throw error;
      return false;
    }
  }
}
