/**
 * Which tasks of an application may restore now, if only so many may at once. Pure.
 *
 * Members decide by themselves, by what all of them have reported. What one reads may be old by the time it acts, so it asks twice:
 *
 * ```
 *   waiting ──reported, read, first in line──▶ claiming ──reported, read again, still room──▶ restoring ──▶ gone
 *      ▲                                           │
 *      └──────────────── no room ──────────────────┘
 * ```
 *
 * Invariants
 *   Q1  never more than `limit` tasks restore: of those that do, look at the one whose claim was reported last. Its second reading came
 *       after that, and all the others had reported theirs before: it has counted them, and would not have gone on
 *   Q2  the first in line is the one with the least left to read, then the one of the lower id: many tasks run early, and all members
 *       that have read the same choose the same
 *   Q3  two that claim one place may both give it back. Each tries again after a pause drawn by chance (restore-places.ts)
 */
import type { RestoreReport } from '../leases/records.js';
import { compareTaskIds, type TaskId } from '../model/task-id.js';

/** What one member has, and what the others have reported. */
export interface RestoreLine {
  readonly mine: readonly RestoreReport[];
  readonly others: readonly RestoreReport[];
  /** At least 1. */
  readonly limit: number;
}

/** The waiting tasks of this member that may claim a place (Q2). */
export function mayClaim({ mine, others, limit }: RestoreLine): readonly TaskId[] {
  const all = [...mine, ...others];
  const free = limit - all.filter(isPlaced).length;
  if (free <= 0) return [];
  const first = all.filter(({ state }) => state === 'waiting').sort(byLeft);
  const own = new Set(mine.map(({ taskId }) => taskId));
  return first
    .slice(0, free)
    .map(({ taskId }) => taskId)
    .filter((taskId) => own.has(taskId));
}

/** The claiming tasks of this member that may restore, by what was read after their claim was reported (Q1); the others wait again. */
export function mayRestore({ mine, others, limit }: RestoreLine): readonly TaskId[] {
  const restoring = mine.filter(({ state }) => state === 'restoring').length;
  const room = limit - restoring - others.filter(isPlaced).length;
  const claiming = mine.filter(({ state }) => state === 'claiming').sort(byLeft);
  return claiming.slice(0, Math.max(0, room)).map(({ taskId }) => taskId);
}

function isPlaced({ state }: RestoreReport): boolean {
  return state === 'claiming' || state === 'restoring';
}

function byLeft(a: RestoreReport, b: RestoreReport): number {
  return a.leftBytes - b.leftBytes || compareTaskIds(a.taskId, b.taskId);
}
