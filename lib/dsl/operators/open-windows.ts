import type { ByteKey } from '../../model/byte-key.js';
import { appendAll } from '../../model/lists.js';

const NONE: readonly ByteKey[] = Object.freeze([]);

/**
 * Which rows belong to windows that are not closed yet, by the ends of those windows: what final results are still to be given of.
 *
 * It holds one entry for each open window of the store, and is made anew from the store when a task starts.
 */
export class OpenWindows {
  private readonly byEnd = new Map<number, Set<ByteKey>>();
  /** Ascending. Most windows end after all others that are open: they are added at the back. */
  private readonly ends: number[] = [];
  private readonly compare: (a: ByteKey, b: ByteKey) => number;

  /** @param compare order of rows whose windows end at one time */
  constructor(compare: (a: ByteKey, b: ByteKey) => number) {
    this.compare = compare;
  }

  add(endMs: number, row: ByteKey): void {
    const rows = this.byEnd.get(endMs);
    if (rows !== undefined) {
      rows.add(row);
      return;
    }
    this.byEnd.set(endMs, new Set([row]));
    this.ends.splice(this.placeOf(endMs), 0, endMs);
  }

  /** Takes out the rows of all windows that end at `lastEndMs` or before, in order of their ends. */
  takeUpTo(lastEndMs: number): readonly ByteKey[] {
    if ((this.ends[0] ?? Number.POSITIVE_INFINITY) > lastEndMs) return NONE;
    const closed: ByteKey[] = [];
    for (const endMs of this.ends.splice(0, this.placeOf(lastEndMs + 1))) {
      const rows = [...(this.byEnd.get(endMs) ?? [])];
      this.byEnd.delete(endMs);
      appendAll(closed, rows.sort(this.compare));
    }
    return closed;
  }

  /** Index of the first end from `endMs` on. */
  private placeOf(endMs: number): number {
    let low = 0;
    let high = this.ends.length;
    if (high === 0 || (this.ends[high - 1] as number) < endMs) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ends[middle] as number) < endMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
