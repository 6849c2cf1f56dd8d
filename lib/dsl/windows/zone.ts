/**
 * A time zone: what its clocks show at an instant, and when they first show a time. The rules are those of the runtime's `Intl`.
 *
 * Clocks that are put forward leave times out, clocks that are put back show some twice: "first" is what makes instants of dates.
 * Local times are milliseconds since 1970-01-01 00:00 on the zone's clock.
 */
import { TopologyError } from '../../model/errors.js';
import { dayOfDate } from './civil-days.js';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** No clock is further from UTC. */
const FURTHEST_OFFSET_MS = 26 * 3_600_000;
/** The greatest instant that `Intl` knows; what is later has the offset that holds there. */
const LAST_KNOWN_MS = 8_640_000_000_000_000;

export class Zone {
  private readonly clock: Intl.DateTimeFormat;

  /** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY naming a zone that the runtime does not know */
  constructor(name: string) {
    this.clock = clockOf(name);
  }

  /** How far the zone's clocks are ahead of UTC. */
  offsetMs(atMs: number): number {
    const seconds = Math.floor(Math.min(atMs, LAST_KNOWN_MS) / SECOND_MS) * SECOND_MS;
    const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of this.clock.formatToParts(seconds)) {
      if (type in shown) shown[type as keyof typeof shown] = Number(value);
    }
    const localSeconds = shown.hour * 3_600 + shown.minute * 60 + shown.second;
    return dayOfDate(shown) * DAY_MS + localSeconds * SECOND_MS - seconds;
  }

  /** The first instant at which the zone's clocks show this local time or a later one. */
  firstAt(localMs: number): number {
    const before = localMs - FURTHEST_OFFSET_MS;
    const after = localMs + FURTHEST_OFFSET_MS;
    const offset = this.offsetMs(before);
    const change = this.firstChange(before, after);
    if (change === null || localMs - offset < change) return localMs - offset;
    // Put forward across that time, its first instant is the change itself; put back, it was shown before.
    return Math.max(change, localMs - this.offsetMs(change));
  }

  /** When the offset at `fromMs` first has changed before `toMs`; null: it has not. Both are whole seconds, at most days apart. */
  firstChange(fromMs: number, toMs: number): number | null {
    const offset = this.offsetMs(fromMs);
    if (this.offsetMs(toMs - SECOND_MS) === offset) return null;
    let [unchanged, changed] = [fromMs, toMs - SECOND_MS];
    while (changed - unchanged > SECOND_MS) {
      const middle = unchanged + Math.floor((changed - unchanged) / (2 * SECOND_MS)) * SECOND_MS;
      if (this.offsetMs(middle) === offset) unchanged = middle;
      else changed = middle;
    }
    return changed;
  }
}

function clockOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (cause) {
    throw new TopologyError(`calendar windows: there is no time zone '${String(name)}'`, {
      cause,
      details: { zone: name },
      remedy: "Name a zone of the IANA time zone database, such as 'Europe/Copenhagen', or 'UTC'.",
    });
  }
}
