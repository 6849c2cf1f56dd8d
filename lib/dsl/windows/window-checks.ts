import { type Duration, durationMs } from '../../model/duration.js';
import { TopologyError } from '../../model/errors.js';
import { kindOfValue } from '../../model/kind-of-value.js';
import type { EmitStrategy, SlidingWindows, TimeWindows, UnlimitedWindows } from './windows.js';

/**
 * A length of windows in milliseconds, of at least 1.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if it is 0 · {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration
 */
export function lengthMs(kind: string, role: string, length: Duration): number {
  const ms = durationMs(length, `${role} of ${kind} windows`);
  if (ms > 0) return ms;
  throw new TopologyError(`${kind} windows: their ${role} must be at least 1 ms`, {
    details: { kind, [role]: length },
  });
}

/** How long windows wait for late records, in milliseconds; 0 if nothing is said. Errors as those of {@link lengthMs}. */
export function graceOf(kind: string, grace: Duration | undefined): number {
  return durationMs(grace ?? 0, `grace of ${kind} windows`);
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what are no windows */
export function expectWindows<W extends TimeWindows | UnlimitedWindows | SlidingWindows>(windows: W): W {
  if (['time', 'unlimited', 'sliding'].includes(windows?.kind)) return windows;
  throw new TopologyError(`windowedBy needs windows, not ${kindOfValue(windows)}`, {
    remedy: 'Give tumbling(…), hopping(…), sliding(…), session(…), calendar(…) or unlimited(…).',
  });
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a strategy that there is not, or final results of windows that never close */
export function expectStrategy(emit: EmitStrategy, windows: { readonly kind: string }): EmitStrategy {
  if (emit !== 'onWindowUpdate' && emit !== 'onWindowClose') {
    throw new TopologyError(`emitStrategy: '${String(emit)}' is neither onWindowUpdate nor onWindowClose`);
  }
  if (emit === 'onWindowUpdate' || windows.kind !== 'unlimited') return emit;
  throw new TopologyError('emitStrategy: unlimited windows never close, so they have no final results', {
    remedy: 'Leave the strategy at onWindowUpdate, or give the windows a size.',
  });
}
