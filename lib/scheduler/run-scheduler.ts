/**
 * The loop of ticks inside one invocation or process.
 *
 *   O1  it holds nothing between ticks but the watch and its own beginning (precedence.ts): ending it at any point, also by an
 *       error, leaves nothing behind that keeps another from going on
 *   O2  a tick that failed for a passing reason (`transient`) is logged and followed by the next; anything else ends the loop
 *       with its error, so that somebody hears of it
 */
import type { TaskAssignor } from '../assignment/task-assignor.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { StreamsApp } from '../topology/app.js';
import type { HeartbeatWatch } from './heartbeat-watch.js';
import type { SchedulerPorts } from './ports.js';
import { createPrecedence, type Precedence } from './precedence.js';
import { runTick, type TickOutcome, type TickOverrides } from './run-tick.js';

/** Ticks that may fail in a row before the loop gives up; the pause between them is that between all ticks. */
export const MAX_FAILED_TICKS = 100;

export interface SchedulerInput {
  readonly app: StreamsApp;
  readonly ports: SchedulerPorts;
  readonly watch: HeartbeatWatch;
  /** Why there are ticks, in words; `schedule` unless given. Kept with the plan. */
  readonly reason?: string;
  /** No tick begins at or after this time of the monotonic clock. Absent: none is too late. */
  readonly deadlineAtMonotonicMs?: number;
  readonly signal: AbortSignal;
  /** Whether to end when no member runs; true unless given. False goes on until signal or deadline. */
  readonly whileMembers?: boolean;
  /** Asked before each tick, so that the number of members may change while the loop runs. */
  readonly overrides?: () => TickOverrides;
  readonly assignors?: readonly TaskAssignor[];
  /** Called after each tick that succeeded. */
  readonly onTick?: (outcome: TickOutcome) => void;
}

export interface SchedulerEnd {
  readonly because: 'signal' | 'deadline' | 'no members';
  /** Ticks begun. */
  readonly ticks: number;
}

/**
 * Ticks every `tickIntervalMs` until the signal fires, the deadline is reached or, with `whileMembers`, no member runs.
 *
 * @throws errors of a tick that are not `transient`, and the last of {@link MAX_FAILED_TICKS} transient ones in a row
 */
export async function runScheduler(input: SchedulerInput): Promise<SchedulerEnd> {
  const { clock } = input.ports.host;
  const deadlineAtMs = input.deadlineAtMonotonicMs ?? Number.POSITIVE_INFINITY;
  const precedence = createPrecedence();
  let failedInARow = 0;
  let isHeldBack = false;
  for (let ticks = 0; ; ticks++) {
    if (input.signal.aborted) return { because: 'signal', ticks };
    if (clock.monotonic() >= deadlineAtMs) return { because: 'deadline', ticks };
    const outcome = await tryTick(input, precedence, failedInARow);
    failedInARow = outcome === null ? failedInARow + 1 : 0;
    if (outcome !== null) {
      input.onTick?.(outcome);
      if (outcome.heldBack && !isHeldBack)
        input.ports.host.logger.info('scheduler-holds-back', { planNumber: outcome.planNumber });
      isHeldBack = outcome.heldBack;
      if (input.whileMembers !== false && outcome.members.length === 0)
        return { because: 'no members', ticks: ticks + 1 };
    }
    await pause(input, deadlineAtMs);
  }
}

/** The outcome, or null if the tick failed for a passing reason (O2). */
async function tryTick(
  input: SchedulerInput,
  precedence: Precedence,
  failedInARow: number,
): Promise<TickOutcome | null> {
  const { app, ports, watch, assignors } = input;
  try {
    return await runTick({
      app,
      ports,
      watch,
      reason: input.reason ?? 'schedule',
      overrides: input.overrides?.() ?? {},
      precedence,
      ...(assignors === undefined ? {} : { assignors }),
    });
  } catch (thrown) {
    const error = asStreamsError(thrown);
    const { code, kind, message, remedy } = error;
    ports.host.logger.error('tick-failed', { code, kind, message, remedy, failedInARow: failedInARow + 1 });
    ports.host.metrics.count('scheduler-ticks-failed', 1, { code });
    if (kind !== 'transient' || failedInARow + 1 >= MAX_FAILED_TICKS) throw error;
    return null;
  }
}

/** Until the next tick is due, or earlier if the loop is to end. */
async function pause({ app, ports, signal }: SchedulerInput, deadlineAtMs: number): Promise<void> {
  const { clock } = ports.host;
  const ms = Math.min(app.settings.tickIntervalMs, deadlineAtMs - clock.monotonic());
  if (ms <= 0) return;
  try {
    await clock.sleep(ms, signal);
  } catch (thrown) {
    if (!(thrown instanceof AbortedError && signal.aborted)) throw thrown;
  }
}
