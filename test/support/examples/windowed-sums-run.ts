import usagePerHour, { readings, usage } from '../../../examples/windowed-sums/usage-per-hour.js';
import { type ExampleRun, groupsOf, sorted } from './example-run.js';
import { MINUTE_MS, madeUp, timedRecords } from './made-up.js';

const HOUR_MS = 60 * MINUTE_MS;
const METERS = ['meter-1', 'meter-2', 'meter-3', 'meter-4', 'meter-5', 'meter-6', 'meter-7', 'meter-8'];

export function windowedSumsRun(): ExampleRun {
  const chance = madeUp(3);
  const records = timedRecords(chance, {
    count: 800,
    keys: METERS,
    everyMs: MINUTE_MS,
    lateMs: 5 * MINUTE_MS,
    value: () => chance.between(1, 500),
  });
  // Of every meter, so that on each partition time goes on far enough to close what came before.
  const lastMs = Math.max(...records.map(({ timestampMs }) => timestampMs)) + 2 * HOUR_MS;
  const closing = METERS.map((key) => ({ key, value: 0, timestampMs: lastMs }));
  return {
    name: 'windowed-sums',
    app: usagePerHour,
    topics: ['readings', 'usage-per-hour'],
    input: (streams) => streams.append('readings', readings, [...records, ...closing]),
    // All results, not the last of each: there has to be one for each hour.
    output: async (streams) =>
      (await streams.read('usage-per-hour', usage))
        .map(({ key, value }) => `${key?.key} ${key?.window.startMs}–${key?.window.endMs}: ${value}`)
        .sort(),
    wanted: Object.entries(sumsOf(records)).map(([hour, sum]) => `${hour}: ${sum}`),
  };
}

function sumsOf(records: ReturnType<typeof timedRecords<number>>): Readonly<Record<string, number>> {
  const byHour = groupsOf(records, ({ key, timestampMs }) => {
    const startMs = Math.floor(timestampMs / HOUR_MS) * HOUR_MS;
    return `${key} ${startMs}–${startMs + HOUR_MS}`;
  });
  return sorted([...byHour].map(([hour, own]) => [hour, own.reduce((sum, { value }) => sum + value, 0)] as const));
}
