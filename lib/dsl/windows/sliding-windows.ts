import { type Duration, durationMs } from '../../model/duration.js';
import { expectOptions } from '../../topology/expect-options.js';
import { graceOf } from './window-checks.js';
import type { SlidingWindows } from './windows.js';

/**
 * Windows that slide with the records of a key: one that ends at each record, and one that begins just after it if others follow
 * within the difference. Kafka: `SlidingWindows.ofTimeDifferenceAndGrace`.
 *
 * Both ends are inclusive: a window of difference d begins at its end − d. Records before d share the window that begins at 0.
 *
 * @param of `timeDifference` between the records of a window at most (0: those of one time); `grace`: how long after its end a window
 *   still takes late records, by default not at all (`ofTimeDifferenceWithNoGrace`)
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration
 */
export function sliding(of: { readonly timeDifference: Duration; readonly grace?: Duration }): SlidingWindows {
  expectOptions('sliding', of, ['timeDifference', 'grace']);
  return Object.freeze({
    kind: 'sliding',
    timeDifferenceMs: durationMs(of.timeDifference, 'timeDifference of sliding windows'),
    graceMs: graceOf('sliding', of.grace),
  });
}
