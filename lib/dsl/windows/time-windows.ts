import { type Duration, durationMs } from '../../model/duration.js';
import { TopologyError } from '../../model/errors.js';
import type { Window } from '../../model/windowed.js';
import { clampTime, GREATEST_TIME_MS } from '../../state/packed-numbers.js';
import { expectOptions } from '../../topology/expect-options.js';
import { graceOf, lengthMs } from './window-checks.js';
import type { TimeWindows, UnlimitedWindows } from './windows.js';

/**
 * Windows side by side, aligned to the epoch (UTC): each time falls in one. Kafka: `TimeWindows.ofSizeAndGrace`.
 *
 * @param of `size` of each window; `grace`: how long after its end it still takes late records, by default not at all
 *   (`ofSizeWithNoGrace`; the 24 hours of Kafka's deprecated `of` have to be asked for)
 * @example
 * grouped.windowedBy(tumbling({ size: '5m', grace: '30s' })).count()
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a size of 0 · {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration
 */
export function tumbling(of: { readonly size: Duration; readonly grace?: Duration }): TimeWindows {
  const { size, grace } = expectOptions('tumbling', of, ['size', 'grace']);
  const sizeMs = lengthMs('tumbling', 'size', size);
  return Object.freeze({
    kind: 'time',
    graceMs: graceOf('tumbling', grace),
    maxSizeMs: sizeMs,
    windowsFor: (timestampMs: number) => {
      const startMs = timestampMs - (timestampMs % sizeMs);
      return [{ startMs, endMs: clampTime(startMs + sizeMs) }];
    },
    endOf: (startMs: number) => clampTime(startMs + sizeMs),
  });
}

/**
 * Windows of one size that begin every `advance`, aligned to the epoch (UTC): a time falls in as many as overlap there.
 * Kafka: `TimeWindows.ofSizeAndGrace(…).advanceBy(…)`.
 *
 * @param of `grace` as in {@link tumbling}
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a size or advance of 0, or an advance beyond the size · {InvalidSettingError}
 *   STREAMS_INVALID_SETTING for what is no duration
 */
export function hopping(of: {
  readonly size: Duration;
  readonly advance: Duration;
  readonly grace?: Duration;
}): TimeWindows {
  expectOptions('hopping', of, ['size', 'advance', 'grace']);
  const sizeMs = lengthMs('hopping', 'size', of.size);
  const advanceMs = lengthMs('hopping', 'advance', of.advance);
  if (advanceMs > sizeMs) {
    throw new TopologyError(
      `hopping windows of ${sizeMs} ms cannot advance by ${advanceMs} ms: times would lie in none`,
      {
        details: { sizeMs, advanceMs },
      },
    );
  }
  return Object.freeze({
    kind: 'time',
    graceMs: graceOf('hopping', of.grace),
    maxSizeMs: sizeMs,
    windowsFor: (timestampMs: number) => {
      const windows: Window[] = [];
      const firstMs = Math.max(0, timestampMs - sizeMs + advanceMs);
      for (let startMs = firstMs - (firstMs % advanceMs); startMs <= timestampMs; startMs += advanceMs) {
        windows.push({ startMs, endMs: clampTime(startMs + sizeMs) });
      }
      return windows;
    },
    endOf: (startMs: number) => clampTime(startMs + sizeMs),
  });
}

/**
 * One window of all records from `startMs` (inclusive; default 0) on, without end: those before it are left out. It
 * never closes, so it has neither grace nor final results. Kafka: `UnlimitedWindows`.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if the start is no whole number of milliseconds from 0
 */
export function unlimited(of: { readonly startMs?: number } = {}): UnlimitedWindows {
  const { startMs = 0 } = expectOptions('unlimited', of, ['startMs']);
  durationMs(startMs, 'startMs of unlimited windows');
  const window: Window = Object.freeze({ startMs, endMs: GREATEST_TIME_MS });
  return Object.freeze({
    kind: 'unlimited',
    graceMs: 0,
    maxSizeMs: GREATEST_TIME_MS,
    windowsFor: (timestampMs: number) => (timestampMs < startMs ? [] : [window]),
    endOf: () => GREATEST_TIME_MS,
  });
}
