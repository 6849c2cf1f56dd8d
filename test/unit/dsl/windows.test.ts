import { describe, expect, it } from 'vitest';
import { hopping, StreamsBuilder, session, sliding, string, tumbling, unlimited } from '../../../lib/index.js';
import { refusalOf } from '../../support/refusal-of.js';

const grouped = () => new StreamsBuilder().stream('in', { key: string(), value: string() }).groupByKey();
const starts = (windows: readonly { readonly startMs: number }[]) => windows.map(({ startMs }) => startMs);
const nothing = undefined as never;

describe('windows', () => {
  it('tumble side by side: each time lies in one, whose end it does not reach', () => {
    const windows = tumbling({ size: '10ms' });

    expect(windows.windowsFor(0)).toEqual([{ startMs: 0, endMs: 10 }]);
    expect(windows.windowsFor(9)).toEqual([{ startMs: 0, endMs: 10 }]);
    expect(windows.windowsFor(10)).toEqual([{ startMs: 10, endMs: 20 }]);
  });

  it('hop by their advance: a time lies in all that overlap there, none of which begins before 0', () => {
    expect(starts(hopping({ size: 10, advance: 5 }).windowsFor(12))).toEqual([5, 10]);
    expect(starts(hopping({ size: 10, advance: 4 }).windowsFor(12))).toEqual([4, 8, 12]);
    expect(starts(hopping({ size: 10, advance: 5 }).windowsFor(3))).toEqual([0]);
    expect(starts(hopping({ size: 10, advance: 10 }).windowsFor(19))).toEqual([10]);
  });

  it('without end hold everything from their start on', () => {
    expect(starts(unlimited({ startMs: 7 }).windowsFor(7))).toEqual([7]);
    expect(unlimited({ startMs: 7 }).windowsFor(6)).toEqual([]);
  });

  it('wait for nobody unless a grace is given', () => {
    expect(tumbling({ size: '1m' }).graceMs).toBe(0);
    expect(session({ inactivityGap: '1m', grace: '2s' }).graceMs).toBe(2_000);
  });
});

describe('refused where it is written, by what is wrong', () => {
  it.each<[string, string, () => unknown]>([
    ['a size of 0', 'size', () => tumbling({ size: 0 })],
    ['a negative size', 'size', () => tumbling({ size: -1 })],
    ['an advance of 0', 'advance', () => hopping({ size: 10, advance: 0 })],
    ['an advance beyond the size', 'advance', () => hopping({ size: 10, advance: 11 })],
    ['a negative difference', 'timeDifference', () => sliding({ timeDifference: -1 })],
    ['a negative grace', 'grace', () => tumbling({ size: 1, grace: -1 })],
    ['no windows', 'windowedBy', () => grouped().windowedBy(nothing)],
    [
      'final results of windows without end',
      'unlimited',
      () => (grouped().windowedBy(unlimited()) as never as ReturnType<typeof windowed>).emitStrategy('onWindowClose'),
    ],
    ['another strategy', 'emitStrategy', () => windowed().emitStrategy('sometimes' as never)],
    ['a retention below size and grace', "'kept'", () => windowed().count({ store: 'kept', retention: '14ms' })],
    [
      'a retention below twice the difference and the grace',
      "'kept'",
      () =>
        grouped()
          .windowedBy(sliding({ timeDifference: 10 }))
          .count({ store: 'kept', retention: '19ms' }),
    ],
    [
      'a retention below gap and grace',
      "'kept'",
      () =>
        grouped()
          .windowedBy(session({ inactivityGap: 10 }))
          .count({ store: 'kept', retention: '9ms' }),
    ],
    ['a reduce without function', 'reduce', () => windowed().reduce(nothing)],
    ['an aggregate without functions', 'aggregate', () => windowed().aggregate(nothing)],
    [
      'sessions without merge',
      'merge',
      () =>
        grouped()
          .windowedBy(session({ inactivityGap: 10 }))
          .aggregate({ init: () => '', add: () => '', value: string() } as never),
    ],
    ['a cogroup with a stream of another builder', 'cogroup', () => cogrouped().cogroup(grouped(), () => '')],
    ['a cogroup without function', 'cogroup', () => grouped().cogroup(nothing)],
  ])('%s', (_, named, action) => {
    expect(refusalOf(action)).toMatch(/^STREAMS_INVALID_(TOPOLOGY|SETTING): /);
    expect(refusalOf(action)).toContain(named);
  });

  it('but a retention of just what late records need is taken', () => {
    expect(refusalOf(() => windowed().count({ store: 'kept', retention: '15ms' }))).toBe('accepted');
  });
});

function windowed() {
  return grouped().windowedBy(tumbling({ size: 10, grace: 5 }));
}

function cogrouped() {
  return grouped().cogroup<string>(() => '');
}
