import { InvalidSettingError } from './errors.js';

/** A length of time: milliseconds, or a number with a unit: `'250ms'`, `'5s'`, `'30m'`, `'2h'`, `'1d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A duration in whole milliseconds.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if it is negative, not whole or has no known unit
 */
export function durationMs(duration: Duration | string, name = 'duration'): number {
  const match = typeof duration === 'number' ? null : /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration.trim());
  const ms = typeof duration === 'number' ? duration : Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
  if (!Number.isSafeInteger(ms) || ms < 0) {
    throw new InvalidSettingError(`${name}: '${duration}' is no duration`, {
      details: { name, duration },
      remedy: "Write whole milliseconds as a number, or a text such as '250ms', '5s', '30m', '2h', '1d'.",
    });
  }
  return ms;
}
