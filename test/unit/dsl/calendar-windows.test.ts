import { describe, expect, it } from 'vitest';
import {
  calendar,
  StreamsBuilder,
  string,
  type TimeWindows,
  timeWindowedSerde,
  untilWindowCloses,
} from '../../../lib/index.js';
import { refusalOf } from '../../support/refusal-of.js';
import { grouped, updates } from '../../support/windowed-updates.js';
import { at as partition, startTask } from '../task/task-rig.js';

const HOUR_MS = 3_600_000;
const at = (text: string) => new Date(text).getTime();

function hoursOf(windows: TimeWindows, text: string): number {
  const [window] = windows.windowsFor(at(text));
  return window === undefined ? 0 : (window.endMs - window.startMs) / HOUR_MS;
}

describe('calendar windows', () => {
  it('are days of 23, 24 and 25 hours where clocks are put forward and back (trap 29)', () => {
    const days = calendar('day', { zone: 'Europe/Copenhagen' });

    expect(hoursOf(days, '2024-03-31T12:00Z')).toBe(23);
    expect(hoursOf(days, '2024-04-01T12:00Z')).toBe(24);
    expect(hoursOf(days, '2024-10-27T12:00Z')).toBe(25);
    expect(days.windowsFor(at('2024-03-30T23:00Z'))).toEqual([
      { startMs: at('2024-03-30T23:00Z'), endMs: at('2024-03-31T22:00Z') },
    ]);
  });

  it('have no window for a date that a place left out', () => {
    const days = calendar('day', { zone: 'Pacific/Apia' });
    const [last] = days.windowsFor(at('2011-12-30T09:59:59.999Z'));
    const [next] = days.windowsFor(at('2011-12-30T10:00Z'));

    expect(last?.endMs).toBe(next?.startMs);
    expect(hoursOf(days, '2011-12-30T09:00Z')).toBe(24);
  });

  it('begin once with each date, also where clocks are put back across midnight', () => {
    // 00:01 on the 29th becomes 23:01 on the 28th: the 29th has begun all the same.
    const [day] = calendar('day', { zone: 'America/St_Johns' }).windowsFor(at('2006-10-29T03:00Z'));

    expect(day).toEqual({ startMs: at('2006-10-29T02:30Z'), endMs: at('2006-10-30T03:30Z') });
  });

  it('are hours as clocks show them: one for each time that an hour is shown, a short one where it is cut', () => {
    const hours = calendar('hour', { zone: 'Australia/Lord_Howe' });

    expect(hoursOf(hours, '2024-04-06T15:10Z')).toBe(0.5);
    expect(hoursOf(hours, '2024-04-06T14:10Z')).toBe(1);
    expect(hoursOf(calendar('hour', { zone: 'Europe/Copenhagen' }), '2024-10-27T00:30Z')).toBe(1);
  });

  it('are weeks from Monday unless another day is named, months, quarters and years of their lengths', () => {
    const zone = 'UTC';

    expect(calendar('week', { zone }).windowsFor(at('2026-11-29T12:00Z'))[0]?.startMs).toBe(at('2026-11-23T00:00Z'));
    expect(calendar('week', { zone, weekStart: 'sunday' }).windowsFor(at('2026-11-29T12:00Z'))[0]?.startMs).toBe(
      at('2026-11-29T00:00Z'),
    );
    expect(hoursOf(calendar('month', { zone }), '2024-02-10T00:00Z')).toBe(29 * 24);
    expect(hoursOf(calendar('quarter', { zone }), '2023-02-10T00:00Z')).toBe(90 * 24);
    expect(hoursOf(calendar('year', { zone }), '2024-02-10T00:00Z')).toBe(366 * 24);
  });

  it('begin at 0 where the first began before, and end at the greatest time', () => {
    const days = calendar('day', { zone: 'Europe/Copenhagen' });

    expect(days.windowsFor(0)).toEqual([{ startMs: 0, endMs: 23 * HOUR_MS }]);
    expect(days.endOf(0)).toBe(23 * HOUR_MS);
    expect(days.windowsFor(Number.MAX_SAFE_INTEGER)[0]?.endMs).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('find any of many windows again, however they are asked for', () => {
    const days = calendar('day', { zone: 'Europe/Copenhagen' });
    const asked = Array.from({ length: 4_500 }, (_, index) => ((index * 7_919) % 4_500) * 24 * HOUR_MS);
    const first = asked.map((timestampMs) => days.windowsFor(timestampMs)[0]);

    expect(asked.map((timestampMs) => days.windowsFor(timestampMs)[0])).toEqual(first);
  });
});

describe('an aggregation in calendar windows', () => {
  const days = calendar('day', { zone: 'Europe/Copenhagen', grace: '1h' });
  const keys = timeWindowedSerde(string(), days);
  const march31 = `k@${at('2024-03-30T23:00Z')}-${at('2024-03-31T22:00Z')}`;
  const april1 = `k@${at('2024-03-31T22:00Z')}-${at('2024-04-01T22:00Z')}`;

  it('counts each day of a place, gives its end and takes late records until its grace has passed', async () => {
    const given = await updates(
      (of) => of.windowedBy(days).count(),
      [
        ['k', 'a', at('2024-03-30T23:00Z')],
        ['k', 'b', at('2024-03-31T22:30Z')],
        ['k', 'c', at('2024-03-31T21:59Z')],
        ['k', 'd', at('2024-03-31T23:00Z')],
        ['k', 'e', at('2024-03-31T21:59Z')],
      ],
      keys,
    );

    expect(given.map((update) => update.slice(0, update.lastIndexOf('@')))).toEqual([
      `${march31}=1`,
      `${april1}=1`,
      `${march31}=2`,
      `${april1}=2`,
    ]);
  });

  it('gives one final result for each day when it has closed', async () => {
    const given = await updates(
      (of) => of.windowedBy(days).emitStrategy('onWindowClose').count(),
      [
        ['k', 'a', at('2024-03-30T23:00Z')],
        ['k', 'b', at('2024-03-31T21:00Z')],
        ['j', 'c', at('2024-06-01T00:00Z')],
      ],
      keys,
    );

    expect(given).toEqual([`${march31}=2@${at('2024-03-31T21:00Z')}`]);
  });

  it('is suppressed until a day has closed', async () => {
    const given = await updates(
      (of) => of.windowedBy(days).count().suppress(untilWindowCloses()),
      [
        ['k', 'a', at('2024-03-30T23:00Z')],
        ['k', 'b', at('2024-03-31T22:59Z')],
        ['k', 'c', at('2024-03-31T21:00Z')],
        ['k', 'd', at('2024-03-31T23:00Z')],
      ],
      keys,
    );

    expect(given).toEqual([`${march31}=2@${at('2024-03-31T21:00Z')}`]);
  });

  it('is kept and written with the starts alone, from which its ends are made again', async () => {
    const builder = new StreamsBuilder();
    grouped(builder).windowedBy(days).count({ store: 'per-day' }).toStream().to('out');
    const { task, give, commit } = await startTask(builder);
    give('in', [{ key: 'k', value: 'v', ts: at('2024-10-27T12:00Z') }]);

    await task.process(0, 10);
    const { outputs, changelogs } = await commit();

    const [written] = [...(outputs.get(partition('out')) ?? [])];
    const [logged] = [...(changelogs.get(partition('app-per-day-changelog')) ?? [])];
    const start = Buffer.alloc(8);
    start.writeBigInt64BE(BigInt(at('2024-10-26T22:00Z')));
    expect(written?.key).toEqual(Buffer.concat([Buffer.from('k'), start]));
    expect(logged?.key).toEqual(Buffer.concat([Buffer.from('k'), start, Buffer.alloc(4)]));
    expect(keys.deserialize(written?.key as Uint8Array).window).toEqual({
      startMs: at('2024-10-26T22:00Z'),
      endMs: at('2024-10-27T23:00Z'),
    });
  });

  it('keeps its windows for the longest day and the grace', () => {
    const builder = new StreamsBuilder();
    grouped(builder).windowedBy(days).count({ store: 'per-day' });

    expect(builder.build().stores.get('per-day')?.retentionMs).toBe((31 + 1) * HOUR_MS);
  });
});

describe('refused where it is written', () => {
  it.each<[string, () => unknown]>([
    [
      "STREAMS_INVALID_TOPOLOGY: calendar windows: there is no time zone 'Europe/Atlantis'",
      () => calendar('day', { zone: 'Europe/Atlantis' }),
    ],
    ['STREAMS_INVALID_TOPOLOGY: calendar windows need a time zone', () => calendar('day', {} as never)],
    [
      "STREAMS_INVALID_TOPOLOGY: calendar windows are no 'fortnight' long",
      () => calendar('fortnight' as never, { zone: 'UTC' }),
    ],
    [
      "STREAMS_INVALID_TOPOLOGY: calendar windows: weeks can not begin on 'someday'",
      () => calendar('week', { zone: 'UTC', weekStart: 'someday' as never }),
    ],
    [
      "STREAMS_INVALID_SETTING: grace of calendar windows: '-1' is no duration",
      () => calendar('day', { zone: 'UTC', grace: -1 }),
    ],
  ])('%s', (refusal, action) => {
    expect(refusalOf(action)).toBe(refusal);
  });
});
