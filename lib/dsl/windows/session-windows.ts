import { type Duration, durationMs } from '../../model/duration.js';
import { expectOptions } from '../../topology/expect-options.js';
import { graceOf } from './window-checks.js';
import type { SessionWindows } from './windows.js';

/**
 * Sessions: records of a key with pauses of at most `inactivityGap` (inclusive) between them. One that a late record connects
 * become one. Kafka: `SessionWindows.ofInactivityGapAndGrace`.
 *
 * @param of `grace`: how long after gap and end a session still takes late records, by default not at all
 *   (`ofInactivityGapWithNoGrace`)
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration; a gap of 0 joins records of one time
 */
export function session(of: { readonly inactivityGap: Duration; readonly grace?: Duration }): SessionWindows {
  expectOptions('session', of, ['inactivityGap', 'grace']);
  return Object.freeze({
    kind: 'session',
    inactivityGapMs: durationMs(of.inactivityGap, 'inactivityGap of session windows'),
    graceMs: graceOf('session', of.grace),
  });
}
