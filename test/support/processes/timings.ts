/** What events of a run say about time. All members of a run are on one machine: their wall clocks are one. */
import type { LoggedEvent } from '../listening-logger.js';

export interface Pause {
  readonly taskId: string;
  readonly from: string;
  readonly to: string;
  /** From the last commit of the owner before to the first of the next. */
  readonly ms: number;
  /** What of that passed before the next owner had the lease, */
  readonly untilTakenMs: number;
  /** and then until it processed. */
  readonly untilRunningMs: number;
}

/** Of each task that was handed back and taken by another process: how long nothing of it was committed. */
export function pausesOf(events: readonly LoggedEvent[]): readonly Pause[] {
  const released = events.filter(({ event }) => event === 'task-released');
  return events.flatMap(({ event, fields: resumed }) => {
    if (event !== 'task-resumed') return [];
    const before = released.findLast(
      ({ fields }) => fields.taskId === resumed.taskId && Number(fields.leaseEpoch) < Number(resumed.leaseEpoch),
    )?.fields;
    if (before?.committedAtMs === undefined || isSame(before, resumed)) return [];
    const resumedAtMs = atMsOf(resumed);
    const takenAtMs = resumedAtMs - Number(resumed.firstCommitAfterMs);
    const lastCommitMs = Number(before.committedAtMs);
    return [
      {
        taskId: String(resumed.taskId),
        from: String(before.memberId),
        to: String(resumed.memberId),
        ms: resumedAtMs - lastCommitMs,
        untilTakenMs: takenAtMs - lastCommitMs,
        untilRunningMs: Number(resumed.restoredAfterMs),
      },
    ];
  });
}

function isSame(one: LoggedEvent['fields'], other: LoggedEvent['fields']): boolean {
  return one.memberId === other.memberId && one.incarnation === other.incarnation;
}

/** Wall clock at which a line was written. */
export function atMsOf({ at }: LoggedEvent['fields']): number {
  return Date.parse(String(at));
}

/** The smallest figure that at least this part of all do not exceed; NaN of none. @param part 0.99: p99 */
export function percentile(figures: readonly number[], part: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
