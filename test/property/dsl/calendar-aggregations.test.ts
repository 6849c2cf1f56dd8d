import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CalendarUnit,
  calendar,
  defineApp,
  StreamsBuilder,
  string,
  timeWindowedSerde,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Nights in which clocks are put forward and back, in the zones below or near them. */
const NIGHTS = [Date.UTC(2024, 2, 31), Date.UTC(2024, 9, 27), Date.UTC(2024, 2, 10), Date.UTC(2024, 10, 3)];
/** None is put forward or back at midnight: there a name of a day stands for one window. */
const ZONES = ['UTC', 'Europe/Copenhagen', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'];

interface Input {
  readonly key: string;
  readonly value: string;
  readonly timestampMs: number;
}

/** What clocks show: by another way than the windows take. */
function shownBy(zone: string): (atMs: number) => string {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return (atMs) => clock.format(atMs);
}

function nameOf(unit: CalendarUnit, shown: string): string {
  return unit === 'month' ? shown.slice(0, 7) : shown.slice(0, 10);
}

/** The first instant at or after this one at which the clock shows another day or month: by trying each quarter of an hour. */
function endOf(unit: CalendarUnit, shown: (atMs: number) => string, atMs: number): number {
  const name = nameOf(unit, shown(atMs));
  let endMs = atMs - (atMs % (HOUR_MS / 4));
  // Whole days first: a month is long.
  while (unit === 'month' && nameOf(unit, shown(endMs + DAY_MS)) === name) endMs += DAY_MS;
  while (nameOf(unit, shown(endMs)) === name) endMs += HOUR_MS / 4;
  return endMs;
}

async function aggregated(inputs: readonly Input[], unit: CalendarUnit, zone: string, graceMs: number) {
  const builder = new StreamsBuilder();
  const windows = calendar(unit, { zone, grace: graceMs });
  builder
    .stream('in', { key: string(), value: string() })
    .groupByKey()
    .windowedBy(windows)
    .aggregate({ value: string(), init: () => '', add: (_, value, before) => before + value })
    .toStream()
    .to('out');
  const settings = { statestoreCacheMaxBytes: 0 };
  const driver = await TopologyTestDriver.start(
    defineApp({ applicationId: 'app', topology: builder.build(), settings }),
  );
  for (const record of inputs) await driver.pipeInput('in', record);
  const last: Record<string, string> = {};
  const key = timeWindowedSerde(string(), windows);
  for (const { key: of, value, timestampMs } of driver.readOutputs('out', { key, value: string() }))
    last[`${of.key} ${nameOf(unit, shownBy(zone)(of.window.startMs))} to ${of.window.endMs}`] =
      `${value}@${timestampMs}`;
  const dropped = driver.droppedRecords.get('late') ?? 0;
  await driver.close();
  return { last, dropped };
}

/** Every record with all of its key that clocks of the zone show on its day or in its month, unless that was over by the grace. */
function looped(inputs: readonly Input[], unit: CalendarUnit, zone: string, graceMs: number) {
  const shown = shownBy(zone);
  const taken = new Map<string, Input[]>();
  let observedMs = -1;
  let dropped = 0;
  for (const input of inputs) {
    observedMs = Math.max(observedMs, input.timestampMs);
    const endMs = endOf(unit, shown, input.timestampMs);
    const name = `${input.key} ${nameOf(unit, shown(input.timestampMs))} to ${endMs}`;
    if (endMs <= observedMs - graceMs) dropped += 1;
    else taken.set(name, [...(taken.get(name) ?? []), input]);
  }
  const last: Record<string, string> = {};
  for (const [name, of] of taken)
    last[name] = `${of.map(({ value }) => value).join('')}@${Math.max(...of.map(({ timestampMs }) => timestampMs))}`;
  return { last, dropped };
}

const times = fc
  .tuple(
    fc.constantFrom(...NIGHTS),
    fc.oneof(
      fc.integer({ min: -30, max: 54 }).map((hours) => hours * HOUR_MS),
      fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }),
    ),
  )
  .map(([nightMs, offMs]) => nightMs + offMs);
const inputs = fc.array(
  fc.record({ key: fc.constantFrom('x', 'y'), value: fc.constantFrom('a', 'b', 'c'), timestampMs: times }),
  { maxLength: 20 },
);
/** Mostly so long that what comes late counts, though the nights are months apart. */
const graces = fc.oneof(fc.constant(300 * DAY_MS), fc.integer({ min: 0, max: 3 * DAY_MS }));

test.each(['day', 'month'] as const)(
  'aggregates by the %s are those of a loop over what clocks of the zone show, late records dropped and counted',
  async (unit) => {
    await fc.assert(
      fc.asyncProperty(inputs, fc.constantFrom(...ZONES), graces, async (records, zone, graceMs) => {
        expect(await aggregated(records, unit, zone, graceMs)).toEqual(looped(records, unit, zone, graceMs));
      }),
      { numRuns: 60 },
    );
  },
);
