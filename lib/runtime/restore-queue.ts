/**
 * Which tasks of an application, and which copies of them, may restore now, if only so many may at once. Pure.
 *
 * Members decide by themselves, by what all of them have reported. What one reads may be old by the time it acts, so it asks twice:
 *
 * ```
 *   waiting ──reported, read, first in line──▶ claiming ──reported, read again, still room──▶ restoring ──▶ gone
 *      ▲                                           │                                  │
 *      └──────────────── no room ──────────────────┴──── a copy, and a task waits ────┘
 * ```
 *
 * Invariants
 *   Q1  never more than `limit` tasks restore: of those that do, look at the one whose claim was reported last. Its second reading came
 *       after that, and all the others had reported theirs before: it has counted them, and would not have gone on
 *   Q2  the first in line is the one with the least left to read, then the one of the lower id: many tasks run early, and all members
 *       that have read the same choose the same
 *   Q3  two that claim one place may both give it back. Each tries again after a pause drawn by chance (restore-places.ts)
 *   Q4  a task goes before every copy: a copy has no place while a task waits for one. As many give theirs back as tasks lack, those with
 *       the most left to read first
 */
import type { RestoreReport } from '../leases/records.js';
import { compareTaskIds } from '../model/task-id.js';

/** What one member has, and what the others have reported. */
export interface RestoreLine {
  readonly mine: readonly RestoreReport[];
  readonly others: readonly RestoreReport[];
  /** At least 1. */
  readonly limit: number;
}

/** Those of this member that wait and may claim a place (Q2, Q4). */
export function mayClaim({ mine, others, limit }: RestoreLine): readonly RestoreReport[] {
  const all = [...mine, ...others];
  const free = limit - all.filter(isPlaced).length;
  if (free <= 0) return [];
  const first = all.filter(({ state }) => state === 'waiting').sort(byTurn);
  const own = new Set(mine);
  return first.slice(0, free).filter((one) => own.has(one));
}

/** Those of this member that claim a place and may restore, by what was read after their claim was reported (Q1); the others wait again. */
export function mayRestore({ mine, others, limit }: RestoreLine): readonly RestoreReport[] {
  const restoring = mine.filter(({ state }) => state === 'restoring').length;
  const room = limit - restoring - others.filter(isPlaced).length;
  const claiming = mine.filter(({ state }) => state === 'claiming').sort(byTurn);
  return claiming.slice(0, Math.max(0, room));
}

/** The copies of this member that have to give their places back (Q4). */
export function mustGiveWay({ mine, others, limit }: RestoreLine): readonly RestoreReport[] {
  const all = [...mine, ...others];
  const free = Math.max(0, limit - all.filter(isPlaced).length);
  const lacking = all.filter(({ state, copy }) => state === 'waiting' && copy !== true).length - free;
  if (lacking <= 0) return [];
  const copies = all.filter(({ state, copy }) => state === 'restoring' && copy === true).sort((a, b) => byTurn(b, a));
  const own = new Set(mine);
  return copies.slice(0, lacking).filter((one) => own.has(one));
}

function isPlaced({ state }: RestoreReport): boolean {
  return state === 'claiming' || state === 'restoring';
}

function byTurn(a: RestoreReport, b: RestoreReport): number {
  return (
    Number(a.copy === true) - Number(b.copy === true) || a.leftBytes - b.leftBytes || compareTaskIds(a.taskId, b.taskId)
  );
}
