import { type Duration, durationMs } from '../../model/duration.js';
import { TopologyError } from '../../model/errors.js';
import { kindOfValue } from '../../model/kind-of-value.js';
import type { SlidingWindows, TimeWindows, UnlimitedWindows } from './windows.js';

/**
 * A length of windows in milliseconds, of at least 1.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if it is 0 · {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration
 */
export function lengthMs(kind: string, role: string, length: Duration): number {
  const ms = durationMs(length, `${role} of ${kind} windows`);
  if (ms > 0) return ms;
  throw new TopologyError(`${kind} windows need a ${role} of at least 1 ms`, { details: { kind, [role]: length } });
}

/** How long windows wait for late records, in milliseconds; 0 if nothing is said. Errors as those of {@link lengthMs}. */
export function graceOf(kind: string, grace: Duration | undefined): number {
  return durationMs(grace ?? 0, `grace of ${kind} windows`);
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what are no windows */
export function expectWindows<W extends TimeWindows | UnlimitedWindows | SlidingWindows>(windows: W): W {
  if (['time', 'unlimited', 'sliding'].includes(windows?.kind)) return windows;
  throw new TopologyError(`windowedBy needs windows, not ${kindOfValue(windows)}`, {
    remedy: 'Give tumbling(…), hopping(…), sliding(…), session(…) or unlimited(…).',
  });
}
