/**
 * Windows by the calendar of a place: hours, days, weeks, months, quarters, years, as long as they are there.
 *
 * Invariants
 *   C1  each instant lies in one window: a window begins where the one before it ends
 *   C2  a day (week, month, …) begins at the first instant at which clocks show its date or a later one; a date that a place left out
 *       has no window
 *   C3  hours are as the clock shows them, cut where it is put forward or back: an hour that is shown twice is two windows
 *   C4  a window is made once and then found again: a record costs no calendar
 */
import type { Duration } from '../../model/duration.js';
import { TopologyError } from '../../model/errors.js';
import type { Window } from '../../model/windowed.js';
import { clampTime, GREATEST_TIME_MS } from '../../state/packed-numbers.js';
import { expectOptions } from '../../topology/expect-options.js';
import { firstDayOfMonth, monthOfDay } from './civil-days.js';
import { graceOf } from './window-checks.js';
import type { TimeWindows } from './windows.js';
import { Zone } from './zone.js';

/** Of what length calendar windows are. */
export type CalendarUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

export interface CalendarOptions {
  /** By whose clocks: a zone of the IANA time zone database, such as `'Europe/Copenhagen'`. */
  readonly zone: string;
  /** How long after its end a window still takes late records; default: not at all. */
  readonly grace?: Duration;
}

export interface CalendarWeekOptions extends CalendarOptions {
  /** With which day weeks begin; default `'monday'`. */
  readonly weekStart?: Weekday;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** No place has put its clocks back by more at once since 1970 (Vostok did, in 1994): a day has at most so many hours above 24. */
const LONGEST_REPEAT_MS = 7 * HOUR_MS;
/** Windows that are remembered: where more are met, the memory begins anew. */
const WINDOWS_REMEMBERED = 4_096;
/** 1970-01-01 was a Thursday: each day's distance from there. */
const FROM_EPOCH = { monday: 4, tuesday: 5, wednesday: 6, thursday: 0, friday: 1, saturday: 2, sunday: 3 };
const WEEK = 7;

/** A unit that consists of days: numbered without gaps, and begun with a day. */
interface DayUnit {
  readonly maxDays: number;
  numberOf(day: number): number;
  firstDay(number: number): number;
}

const UNITS = {
  day: { maxDays: 1, numberOf: (day: number) => day, firstDay: (number: number) => number },
  month: monthsOf(1, 31),
  quarter: monthsOf(3, 92),
  year: monthsOf(12, 366),
};

/**
 * Windows side by side by the calendar of a time zone: a day there has 23, 24 or 25 hours, a month 28 to 31 days.
 *
 * Starts are inclusive, ends exclusive, and both are instants. Weeks begin on Monday unless `weekStart` says otherwise. The first window
 * begins at 0 (1970-01-01 00:00 UTC), as no record is older. There is nothing like it in Kafka Streams; what is stored and written
 * has the bytes of its time windows, start alone: consumers make the end with `timeWindowedSerde(key, calendar(…))`. The zone's rules are
 * the runtime's: members with different rules would differ in the windows that the rules differ in.
 *
 * @example
 * sales.groupByKey().windowedBy(calendar('day', { zone: 'Europe/Copenhagen', grace: '1h' })).count()
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY naming a unit, zone or weekday that there is not · {InvalidSettingError}
 *   STREAMS_INVALID_SETTING for a grace that is no duration
 */
export function calendar(unit: 'week', of: CalendarWeekOptions): TimeWindows;
export function calendar(unit: CalendarUnit, of: CalendarOptions): TimeWindows;
export function calendar(unit: CalendarUnit, of: CalendarWeekOptions): TimeWindows {
  expectOptions('calendar', of, ['zone', 'grace', 'weekStart']);
  const graceMs = graceOf('calendar', of?.grace);
  const zone = new Zone(expectZone(of?.zone));
  const days = unit === 'hour' ? null : dayUnit(unit, of);
  const found = new FoundWindows(days === null ? (atMs) => hourAt(zone, atMs) : unitsAt(zone, days));
  return Object.freeze({
    kind: 'time',
    graceMs,
    maxSizeMs: days === null ? HOUR_MS : days.maxDays * DAY_MS + LONGEST_REPEAT_MS,
    windowsFor: (timestampMs: number) => found.at(timestampMs),
    endOf: (startMs: number) => (found.at(startMs)[0] as Window).endMs,
  });
}

/** Windows that were asked for, in order of time. */
class FoundWindows {
  private readonly make: (atMs: number) => Window;
  private starts: number[] = [];
  private windows: (readonly [Window])[] = [];
  /** The one found last: most records lie where the one before lay. */
  private last: readonly [Window];

  constructor(make: (atMs: number) => Window) {
    this.make = make;
    this.last = [this.make(0)];
  }

  at(timestampMs: number): readonly [Window] {
    if (!lies(timestampMs, this.last[0])) this.last = this.find(timestampMs);
    return this.last;
  }

  private find(timestampMs: number): readonly [Window] {
    let [low, high] = [0, this.starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.starts[middle] as number) <= timestampMs) low = middle + 1;
      else high = middle;
    }
    const nearest = this.windows[low - 1];
    if (nearest !== undefined && lies(timestampMs, nearest[0])) return nearest;
    if (this.windows.length >= WINDOWS_REMEMBERED) {
      this.starts = [];
      this.windows = [];
      low = 0;
    }
    const made = [Object.freeze(this.make(timestampMs))] as const;
    this.starts.splice(low, 0, made[0].startMs);
    this.windows.splice(low, 0, made);
    return made;
  }
}

function lies(timestampMs: number, { startMs, endMs }: Window): boolean {
  return timestampMs >= startMs && (timestampMs < endMs || endMs === GREATEST_TIME_MS);
}

function unitsAt(zone: Zone, unit: DayUnit): (atMs: number) => Window {
  const beginOf = (number: number) => zone.firstAt(unit.firstDay(number) * DAY_MS);
  return (atMs) => {
    let number = unit.numberOf(Math.floor((atMs + zone.offsetMs(atMs)) / DAY_MS));
    let endMs = beginOf(number + 1);
    // Clocks that are put back across midnight show the day before once more: it has ended all the same (C2).
    while (endMs <= atMs) {
      number += 1;
      endMs = beginOf(number + 1);
    }
    return { startMs: clampTime(beginOf(number)), endMs: clampTime(endMs) };
  };
}

function hourAt(zone: Zone, atMs: number): Window {
  const offsetMs = zone.offsetMs(atMs);
  const wholeMs = Math.floor((atMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
  const changeMs = zone.firstChange(wholeMs, wholeMs + HOUR_MS);
  if (changeMs === null) return { startMs: clampTime(wholeMs), endMs: clampTime(wholeMs + HOUR_MS) };
  return changeMs <= atMs
    ? { startMs: clampTime(changeMs), endMs: clampTime(wholeMs + HOUR_MS) }
    : { startMs: clampTime(wholeMs), endMs: clampTime(changeMs) };
}

function dayUnit(unit: CalendarUnit, { weekStart = 'monday' }: CalendarWeekOptions): DayUnit {
  if (unit !== 'week' && Object.hasOwn(UNITS, unit)) return UNITS[unit as keyof typeof UNITS];
  if (unit !== 'week') {
    throw new TopologyError(`calendar windows are no '${String(unit)}' long`, {
      details: { unit },
      remedy: "Give 'hour', 'day', 'week', 'month', 'quarter' or 'year'.",
    });
  }
  if (!Object.hasOwn(FROM_EPOCH, weekStart)) {
    throw new TopologyError(`calendar windows: weeks can not begin on '${String(weekStart)}'`, {
      details: { weekStart },
    });
  }
  const shift = FROM_EPOCH[weekStart];
  return {
    maxDays: WEEK,
    numberOf: (day) => Math.floor((day - shift) / WEEK),
    firstDay: (number) => number * WEEK + shift,
  };
}

function monthsOf(count: number, maxDays: number): DayUnit {
  return {
    maxDays,
    numberOf: (day) => Math.floor(monthOfDay(day) / count),
    firstDay: (number) => firstDayOfMonth(number * count),
  };
}

function expectZone(zone: unknown): string {
  if (typeof zone === 'string') return zone;
  throw new TopologyError('calendar windows need a time zone', {
    remedy: "Name a zone of the IANA time zone database: { zone: 'Europe/Copenhagen' }.",
  });
}
