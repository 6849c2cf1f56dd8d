/**
 * What a task costs, as its member reports it: rates over the last seconds, smoothed so that one burst between two heartbeats is
 * not taken for the rule. Pure: totals and times come in.
 */
import type { TaskLoad } from '../leases/records.js';
import type { TaskStatus } from './task-status.js';

/** After this long a change of a rate has come through to 63 %. */
export const SMOOTHED_OVER_MS = 10_000;
/** Totals are compared this far apart at least: over less a rate is mostly chance. */
const INTERVAL_LEAST_MS = 200;
/** Rates below this are none: what is smoothed never quite comes to 0. */
const RATE_LEAST = 0.1;
/** Tasks of which one member reports the load: those with most work. Of the others nothing is said, as of idle ones. */
export const LOADS_MOST = 500;

interface Totals {
  readonly records: number;
  readonly bytes: number;
  readonly busyMs: number;
}

interface Measured {
  readonly atMs: number;
  readonly totals: Totals;
  /** Per second; null until there are two totals. */
  readonly rates: Totals | null;
}

/** The load of one task, from its totals at each call. */
export class TaskMeter {
  private measured: Measured;

  constructor(nowMs: number) {
    this.measured = { atMs: nowMs, totals: { records: 0, bytes: 0, busyMs: 0 }, rates: null };
  }

  /** The load as of now; null where there is none worth a word. */
  read(status: TaskStatus, nowMs: number): TaskLoad | null {
    this.measure(status, nowMs);
    const { records = 0, bytes = 0, busyMs = 0 } = this.measured.rates ?? {};
    const { taskId, lagRecords } = status;
    const isIdle = lagRecords === 0 && records < RATE_LEAST && busyMs < RATE_LEAST;
    if (isIdle) return null;
    return {
      taskId,
      lagRecords,
      recordsPerSecond: tenths(records),
      bytesPerSecond: Math.round(bytes),
      busyMsPerSecond: tenths(busyMs),
    };
  }

  private measure({ recordsCommitted: records, bytesRead: bytes, busyMs }: TaskStatus, nowMs: number): void {
    const { atMs, totals, rates } = this.measured;
    const elapsedMs = nowMs - atMs;
    if (elapsedMs < INTERVAL_LEAST_MS) return;
    const perSecond = (now: number, before: number) => ((now - before) / elapsedMs) * 1_000;
    const last: Totals = {
      records: perSecond(records, totals.records),
      bytes: perSecond(bytes, totals.bytes),
      busyMs: perSecond(busyMs, totals.busyMs),
    };
    this.measured = { atMs: nowMs, totals: { records, bytes, busyMs }, rates: smoothed(rates, last, elapsedMs) };
  }
}

/** The loads with most work, in the order of the tasks given. */
export function mostLoaded(loads: readonly TaskLoad[]): readonly TaskLoad[] {
  if (loads.length <= LOADS_MOST) return loads;
  const kept = new Set([...loads].sort((a, b) => workOf(b) - workOf(a)).slice(0, LOADS_MOST));
  return loads.filter((load) => kept.has(load));
}

function workOf({ lagRecords, recordsPerSecond }: TaskLoad): number {
  return (lagRecords ?? 0) + recordsPerSecond;
}

function smoothed(before: Totals | null, last: Totals, elapsedMs: number): Totals {
  if (before === null) return last;
  const part = 1 - Math.exp(-elapsedMs / SMOOTHED_OVER_MS);
  const mix = (old: number, now: number) => old + part * (now - old);
  return {
    records: mix(before.records, last.records),
    bytes: mix(before.bytes, last.bytes),
    busyMs: mix(before.busyMs, last.busyMs),
  };
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
