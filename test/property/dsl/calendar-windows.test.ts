import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CalendarUnit, calendar, type TimeWindows, type Weekday, type Window } from '../../../lib/index.js';

const HOUR_MS = 3_600_000;
const FIRST_YEAR = 1970;
const LAST_YEAR = 2100;
/** Half-hour summer time, a day left out, summer time that pauses in Ramadan, clocks put back across midnight, odd offsets. */
const ODD = [
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Africa/Monrovia',
  'Antarctica/Casey',
  'Antarctica/Vostok',
  'America/Havana',
  'Europe/Copenhagen',
];
const zones = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom(...Intl.supportedValuesOf('timeZone')));
const instants = fc.integer({ min: 0, max: Date.UTC(LAST_YEAR, 0, 1) });

/** What clocks show, as `2024-03-31 02:59:59`: by another way than the windows take. */
function shownBy(zone: string): (atMs: number) => string {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return (atMs) => clock.format(atMs);
}

/** The name of the day, month, quarter or year that a text of a clock is in: names are in order of time. */
function nameOf(unit: CalendarUnit, shown: string): string {
  if (unit === 'year') return shown.slice(0, 4);
  if (unit === 'month') return shown.slice(0, 7);
  if (unit === 'quarter') return `${shown.slice(0, 4)}-${Math.floor((Number(shown.slice(5, 7)) - 1) / 3)}`;
  return shown.slice(0, 10);
}

function windowAt(windows: TimeWindows, atMs: number): Window {
  const all = windows.windowsFor(atMs);
  expect(all).toHaveLength(1);
  return all[0] as Window;
}

function* walk(windows: TimeWindows, fromMs: number, count: number): Generator<Window> {
  let atMs = fromMs;
  for (let walked = 0; walked < count; walked += 1) {
    const window = windowAt(windows, atMs);
    yield window;
    atMs = window.endMs;
  }
}

describe('windows by the calendar of any zone', () => {
  it('hold each instant in one, begin where the one before ends, and know their ends by their starts', () => {
    const units = fc.constantFrom<CalendarUnit>('hour', 'day', 'week', 'month', 'quarter', 'year');
    fc.assert(
      fc.property(zones, units, instants, (zone, unit, atMs) => {
        const windows = calendar(unit, { zone });
        // Each remembers what it has found, so each is asked for one place of a window; to make one costs more than all that is asked of it.
        const [atEnd, atMiddle, atStart] = [
          calendar(unit, { zone }),
          calendar(unit, { zone }),
          calendar(unit, { zone }),
        ];

        let endMs: number | null = null;
        const walked = [...walk(windows, atMs, 40)];
        for (const window of walked) {
          if (endMs !== null) expect(window.startMs).toBe(endMs);
          endMs = window.endMs;
          expect(endMs - window.startMs).toBeGreaterThan(0);
          expect(endMs - window.startMs).toBeLessThanOrEqual(windows.maxSizeMs);
        }
        for (const window of walked.reverse()) {
          expect(windowAt(atEnd, window.endMs - 1)).toEqual(window);
          expect(windowAt(atMiddle, Math.floor((window.startMs + window.endMs) / 2))).toEqual(window);
          expect(atStart.endOf(window.startMs)).toBe(window.endMs);
          expect(windowAt(atStart, window.startMs)).toEqual(window);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('begin when clocks first show their name: no day, month, quarter or year is cut, joined or left out', () => {
    const units = fc.constantFrom<CalendarUnit>('day', 'month', 'quarter', 'year');
    fc.assert(
      fc.property(zones, units, instants, (zone, unit, atMs) => {
        const shown = shownBy(zone);
        let latest = '';

        for (const { startMs, endMs } of walk(calendar(unit, { zone }), atMs, 40)) {
          const name = nameOf(unit, shown(startMs));
          if (startMs > 0 && latest !== '') expect(name > latest).toBe(true);
          latest = name;
          for (let part = 0; part <= 24; part += 1) {
            const within = Math.min(endMs - 1, startMs + Math.floor(((endMs - startMs) * part) / 24));
            expect(nameOf(unit, shown(within)) <= name).toBe(true);
          }
          expect(nameOf(unit, shown(endMs)) > name).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('of hours end when the clock shows another hour, or is put to another time', () => {
    fc.assert(
      fc.property(zones, instants, (zone, atMs) => {
        const shown = shownBy(zone);
        for (const { startMs, endMs } of walk(calendar('hour', { zone }), atMs, 60)) {
          if (startMs === 0) continue;
          expect(shown(endMs - 1).slice(0, 13)).toBe(shown(startMs).slice(0, 13));
          const passed = Number(shown(endMs).slice(14, 16)) * 60 + Number(shown(endMs).slice(17, 19));
          const begun = Number(shown(startMs).slice(14, 16)) * 60 + Number(shown(startMs).slice(17, 19));
          if (endMs - startMs !== HOUR_MS) expect([passed, begun]).not.toEqual([0, 0]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('of weeks begin on the day that was asked for, or the first after it that there is', () => {
    const days: readonly Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
    const zonesOfWholeWeeks = fc.constantFrom(...ODD.filter((zone) => zone !== 'Pacific/Apia'));
    fc.assert(
      fc.property(zonesOfWholeWeeks, fc.constantFrom(...days), instants, (zone, weekStart, atMs) => {
        const name = new Intl.DateTimeFormat('en', { timeZone: zone, weekday: 'long' });
        for (const { startMs, endMs } of walk(calendar('week', { zone, weekStart }), atMs, 60)) {
          if (startMs === 0) continue;
          expect(name.format(startMs).toLowerCase()).toBe(weekStart);
          expect(Math.round((endMs - startMs) / HOUR_MS / 24)).toBe(7);
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each(ODD)('follow each other from 1970 to 2100 in %s', (zone) => {
    const shown = shownBy(zone);
    const windows = calendar('month', { zone });
    const months: string[] = [];
    for (let atMs = 0; atMs < Date.UTC(LAST_YEAR, 0, 1, 12); ) {
      const { endMs } = windowAt(windows, atMs);
      months.push(shown(endMs).slice(0, 10));
      atMs = endMs;
    }

    const first = months.indexOf('1970-02-01');
    const wanted = Array.from({ length: (LAST_YEAR - FIRST_YEAR) * 12 - 1 }, (_, index) => {
      const month = index + 1;
      return `${FIRST_YEAR + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;
    });
    expect(months.slice(first, first + wanted.length)).toEqual(wanted);
  });
});
