/**
 * What a record does to the sliding windows of its key: which are updated and which begin. Pure arithmetic over the windows that are
 * there. Kafka: `KStreamSlidingWindowAggregate`.
 *
 * With difference d a record at t belongs to every window [s, s + d] that contains t. Windows exist only where records make them
 * differ: one that ends at each record (its left window), and one that begins just after a record (its right window) if others follow
 * within d. A window's row has the timestamp of its latest record, and so tells where the record before t lies.
 */
import type { StoredValue } from '../../state/byte-store.js';

/** A window that is there, by its start. */
export interface SlidingRow {
  readonly startMs: number;
  readonly stored: StoredValue;
}

/** One window to be written. */
export interface SlidingStep {
  readonly startMs: number;
  /** What the record is added to; null: to nothing. */
  readonly from: StoredValue | null;
  /** The window's row as it is; null if it is not there. */
  readonly before: StoredValue | null;
  /** False where the window takes over what `from` holds, without the record. */
  readonly adds: boolean;
}

/** Times are from 0. */
export interface SlidingRecord {
  readonly timestampMs: number;
  readonly differenceMs: number;
}

/** Whether no window before this one matters: rows are to be read from the latest start down to the first for which it holds. */
export function isLastOfInterest({ timestampMs, differenceMs }: SlidingRecord, startMs: number): boolean {
  return startMs + differenceMs < timestampMs;
}

/**
 * Steps for a record whose left window begins at 0 or later.
 *
 * @param rows windows that begin from t − 2d to t + 1, latest first
 */
export function slidingSteps(record: SlidingRecord, rows: readonly SlidingRow[]): readonly SlidingStep[] {
  const { timestampMs, differenceMs } = record;
  const steps: SlidingStep[] = [];
  let left: StoredValue | null = null;
  let right: StoredValue | null = null;
  let hasLeft = false;
  let hasRight = false;
  let previousMs: number | null = null;
  for (const { startMs, stored } of rows) {
    const endMs = startMs + differenceMs;
    if (startMs === timestampMs + 1) {
      hasRight = true;
      continue;
    }
    if (endMs < timestampMs) {
      left = stored;
      previousMs = stored.timestampMs;
      break;
    }
    steps.push(update(startMs, stored));
    if (endMs > timestampMs) right ??= stored;
    else {
      hasLeft = true;
      // A record of this very time has made every window that this one could make.
      if (stored.timestampMs >= timestampMs) return steps;
      previousMs = stored.timestampMs;
    }
  }
  if (previousMs !== null && previousMs + 1 + differenceMs >= timestampMs && !begins(rows, previousMs + 1)) {
    steps.push(start(previousMs + 1, null));
  }
  if (!hasLeft) {
    const isPreviousWithin = previousMs !== null && timestampMs - differenceMs <= previousMs;
    steps.push(start(timestampMs - differenceMs, isPreviousWithin && left !== null ? at(left, timestampMs) : null));
  }
  if (!hasRight && right !== null && right.timestampMs > timestampMs) steps.push(takeOver(timestampMs + 1, right));
  return steps;
}

/**
 * Steps for a record before d: its left window would begin before 0, so that all such records share the window that begins at 0.
 *
 * @param rows windows that begin from 0 to t + 1, earliest first
 */
export function earlySlidingSteps({ timestampMs }: SlidingRecord, rows: readonly SlidingRow[]): readonly SlidingStep[] {
  const steps: SlidingStep[] = [];
  let combined: StoredValue | null = null;
  let right: StoredValue | null = null;
  let hasRight = false;
  for (const { startMs, stored } of rows) {
    if (startMs === 0) combined = stored;
    else if (startMs === timestampMs + 1) hasRight = true;
    else {
      right = stored;
      steps.push(update(startMs, stored));
    }
  }
  // Without a window after 0 the shared one holds no record both before and after this one.
  if (right === null && combined !== null && combined.timestampMs > timestampMs) right = combined;
  if (!hasRight && right !== null && right.timestampMs > timestampMs) steps.push(takeOver(timestampMs + 1, right));
  const previousMs = combined !== null && combined.timestampMs < timestampMs ? combined.timestampMs : null;
  if (previousMs !== null && !begins(rows, previousMs + 1)) steps.push(start(previousMs + 1, null));
  steps.push(combined === null ? start(0, null) : update(0, combined));
  return steps;
}

function update(startMs: number, stored: StoredValue): SlidingStep {
  return { startMs, from: stored, before: stored, adds: true };
}

function start(startMs: number, from: StoredValue | null): SlidingStep {
  return { startMs, from, before: null, adds: true };
}

function takeOver(startMs: number, from: StoredValue): SlidingStep {
  return { startMs, from, before: null, adds: false };
}

function begins(rows: readonly SlidingRow[], startMs: number): boolean {
  return rows.some((row) => row.startMs === startMs);
}

/** The value of a window, in one whose latest record is at another time. */
function at({ value }: StoredValue, timestampMs: number): StoredValue {
  return { value, timestampMs };
}
