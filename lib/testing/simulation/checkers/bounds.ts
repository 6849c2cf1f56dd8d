/** How long each intermediate state may last, from the settings: the arithmetic that `nothing-beyond-its-bound` holds runs to. */
import type { Settings } from '../../../model/settings.js';
import { RELEASE_PATIENCE_MS, warmUpPatienceMs } from '../../../runtime/predecessor.js';
import { SCHEDULE_INTERVAL_MS } from '../cloud.js';
import { SAMPLE_INTERVAL_MS } from './checker.js';

/** What a tick or a take may take by itself: a few calls in a row with the longest latency. */
const WORK_MS = 1_000;
/** A member hands over this early before its deadline (run-member.ts). */
const DRAIN_LEAD_MOST_MS = 30_000;
const DRAIN_LEAD_PART = 0.2;

export interface Bounds {
  /** Somebody is to be run, and no scheduler is: until the next moment of the schedule. */
  readonly withoutScheduler: number;
  /** A slot is claimed and its heartbeat stands still: the session time-out, seen by the tick after it. */
  readonly silent: number;
  /** A slot is draining: the time before the deadline at which that begins; who dies in it is seen by its silence. */
  readonly draining: number;
  /**
   * A task that has work has no owner, or one that has ended. In the worst order each step takes a session time-out of its own:
   * the slot that is granted it is waited for (V2 of membership.ts), a request for an incarnation expires, a plan on its way is
   * given up (N2 of next-plan.ts); each is followed by a tick, and the last by a take, before which a successor may warm up for as long
   * as it lets its predecessor work (predecessor.ts).
   */
  readonly unowned: number;
  /** A transaction is open: the broker ends it. */
  readonly openTransaction: number;
}

/** All in milliseconds, with the two samples between which something begins and ends to be seen. */
export function boundsOf(settings: Settings, taskTimeoutMs: number): Bounds {
  const { sessionTimeoutMs, tickIntervalMs, transactionTimeoutMs } = settings;
  const seenMs = 2 * SAMPLE_INTERVAL_MS;
  const tickMs = tickIntervalMs + WORK_MS;
  const silent = sessionTimeoutMs + tickMs + seenMs;
  return {
    withoutScheduler: SCHEDULE_INTERVAL_MS + WORK_MS + seenMs,
    silent,
    draining: Math.min(DRAIN_LEAD_MOST_MS, DRAIN_LEAD_PART * taskTimeoutMs) + silent,
    unowned: 3 * (sessionTimeoutMs + tickMs) + warmUpPatienceMs(settings) + RELEASE_PATIENCE_MS + WORK_MS + seenMs,
    openTransaction: transactionTimeoutMs + seenMs,
  };
}
