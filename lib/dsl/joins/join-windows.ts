import { type Duration, durationMs } from '../../model/duration.js';
import { InvalidSettingError, TopologyError } from '../../model/errors.js';

/**
 * Which records of two streams meet. Kafka: `JoinWindows`.
 *
 * A record of the right stream meets one of the left with the same key if
 * `left − before ≤ right ≤ left + after`, both ends inclusive. As in Kafka Streams ends before the epoch count as 0, and a window of no
 * width (before and after together 0) needs a grace: without one the stores keep no record, and nothing joins.
 */
export interface JoinWindowOptions {
  /**
   * How far their timestamps may lie apart: one duration for both directions, or one for each. Kafka: `ofTimeDifference…`,
   * `before`, `after`.
   *
   * `before` and `after` are relative to the left stream's record, 0 where left out; one of them may be negative (as a number of
   * milliseconds) if the other makes up for it: `{ before: -1_000, after: 5_000 }` is "from one second to five seconds after".
   */
  readonly within: Duration | { readonly before?: Duration; readonly after?: Duration };
  /**
   * How long records may come late; default 0, as with Kafka's `…WithNoGrace`. In a left or outer join what has met nothing is given
   * out when stream time has passed its window and the grace.
   */
  readonly grace?: Duration;
}

/** Join windows in milliseconds. */
export interface JoinWindows {
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly graceMs: number;
  /** Length of the window: before and after together. */
  readonly sizeMs: number;
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for no window, or a negative one · {InvalidSettingError} STREAMS_INVALID_SETTING */
export function joinWindows({ within, grace = 0 }: Partial<JoinWindowOptions>, operator: string): JoinWindows {
  if (within === undefined || within === null) {
    throw new TopologyError(`${operator} of two streams needs a window`, {
      details: { operator },
      remedy: "Say how far the timestamps of joined records may lie apart: { within: '5m' }.",
    });
  }
  const { before = 0, after = 0 } = typeof within === 'object' ? within : { before: within, after: within };
  const beforeMs = shiftMs(before, `${operator}: before`);
  const afterMs = shiftMs(after, `${operator}: after`);
  if (beforeMs + afterMs < 0) {
    throw new TopologyError(`${operator}: a window from ${-beforeMs} to ${afterMs} ms ends before it begins`, {
      details: { operator, beforeMs, afterMs },
    });
  }
  return {
    beforeMs,
    afterMs,
    graceMs: durationMs(grace, `${operator}: grace`),
    sizeMs: beforeMs + afterMs,
  };
}

/** A duration that may be negative, as a number. */
function shiftMs(shift: Duration, name: string): number {
  if (typeof shift !== 'number' || shift >= 0) return durationMs(shift, name);
  if (Number.isSafeInteger(shift)) return shift;
  throw new InvalidSettingError(`${name}: '${shift}' is no duration`, { details: { name, duration: shift } });
}
