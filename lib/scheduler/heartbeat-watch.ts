/**
 * What one scheduler remembers between its ticks: since when it has seen each thing stand still, and whom it has invoked.
 *
 * Forgetting all of it is harmless: a fresh watch takes one session time-out longer to see a death, and may invoke once more
 * what was invoked already. All times are of the scheduler's own monotonic clock; no two machines' clocks are compared.
 *
 *   W1  a death by session time-out is seen by one watch alone: from the first to the last sight of one heartbeat version
 *   W2  what is not there any more is forgotten: the watch is never larger than what was observed last
 */
import type { MemberId } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';

/** The last invocation of a slot by this scheduler. */
export interface SlotInvocation {
  /** The incarnation that was asked for. */
  readonly incarnation: number;
  readonly atMonotonicMs: number;
  /** How often this incarnation has been asked for, 1 at first. */
  readonly attempts: number;
  /** How many incarnations before it, in a row, ended soon after they were asked for. */
  readonly quickEnds: number;
}

export interface HeartbeatWatch {
  /**
   * Notes what is there now, and answers for how many milliseconds each has been seen. A key names a thing together with the
   * state whose standing still is watched; keys not given are forgotten (W2).
   */
  ages(keys: readonly string[], nowMonotonicMs: number): ReadonlyMap<string, number>;
  /** For how many milliseconds a fact of that name has been the same, 0 at first. Names are few; of each the last value is kept. */
  standing(name: string, value: string, nowMonotonicMs: number): number;
  invocation(memberId: MemberId): SlotInvocation | undefined;
  /** Notes that an incarnation was asked for. */
  noteInvocation(memberId: MemberId, invocation: Omit<SlotInvocation, 'attempts'>): void;
  /** When the standby function was last asked for a task's snapshots. */
  standbyInvokedAtMs(taskId: TaskId): number | undefined;
  noteStandby(taskIds: readonly TaskId[], nowMonotonicMs: number): void;
  /** Forgets slots and tasks that are no more. */
  retain(memberIds: ReadonlySet<MemberId>, taskIds: ReadonlySet<TaskId>): void;
}

/** An empty watch: what a scheduler starts with. */
export function createHeartbeatWatch(): HeartbeatWatch {
  let firstSeen = new Map<string, number>();
  const facts = new Map<string, { readonly value: string; readonly sinceMs: number }>();
  const invocations = new Map<MemberId, SlotInvocation>();
  const standbys = new Map<TaskId, number>();
  return {
    ages(keys, nowMonotonicMs) {
      firstSeen = new Map(keys.map((key) => [key, firstSeen.get(key) ?? nowMonotonicMs]));
      return new Map([...firstSeen].map(([key, since]) => [key, Math.max(0, nowMonotonicMs - since)]));
    },
    standing(name, value, nowMonotonicMs) {
      const before = facts.get(name);
      if (before?.value === value) return Math.max(0, nowMonotonicMs - before.sinceMs);
      facts.set(name, { value, sinceMs: nowMonotonicMs });
      return 0;
    },
    invocation: (memberId) => invocations.get(memberId),
    noteInvocation(memberId, invocation) {
      const before = invocations.get(memberId);
      const attempts = before?.incarnation === invocation.incarnation ? before.attempts + 1 : 1;
      invocations.set(memberId, { ...invocation, attempts });
    },
    standbyInvokedAtMs: (taskId) => standbys.get(taskId),
    noteStandby(taskIds, nowMonotonicMs) {
      for (const taskId of taskIds) standbys.set(taskId, nowMonotonicMs);
    },
    retain(memberIds, taskIds) {
      for (const memberId of invocations.keys()) if (!memberIds.has(memberId)) invocations.delete(memberId);
      for (const taskId of standbys.keys()) if (!taskIds.has(taskId)) standbys.delete(taskId);
    },
  };
}
