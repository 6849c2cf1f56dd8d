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
  const match = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration.trim()) : null;
  const ms = typeof duration === 'number' ? duration : Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
  if (!Number.isSafeInteger(ms) || ms < 0) {
    throw new InvalidSettingError(`${name}: '${String(duration)}' is no duration`, {
      details: { name, duration },
      remedy: "Write whole milliseconds as a number, or a text such as '250ms', '5s', '30m', '2h', '1d'.",
    });
  }
  return ms;
}

const ISO_DURATION = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,9})?)S)?)?$/i;

/** A duration in ISO 8601's form as Java reads it (`P1DT2H`, `PT90S`), in whole milliseconds; null for what is none. */
export function isoDurationMs(text: string): number | null {
  const match = ISO_DURATION.exec(text);
  if (match === null || match.slice(1).every((part) => part === undefined)) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  const ms = Math.floor(days * 86_400_000 + hours * 3_600_000 + minutes * 60_000 + seconds * 1_000);
  return Number.isSafeInteger(ms) ? ms : null;
}
