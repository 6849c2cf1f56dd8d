import type { Clock } from '../host/host.js';

/** A moment by both clocks of one machine: a process that stood still finds out from the one or the other. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

/** Milliseconds from a moment until now, by the clock that says more. */
export function elapsedMs(since: Moment, clock: Clock): number {
  const now = momentOf(clock);
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}
