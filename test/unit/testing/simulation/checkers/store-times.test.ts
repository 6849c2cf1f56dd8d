import { expect, it } from 'vitest';
import { byteKey } from '../../../../../lib/model/byte-key.js';
import { offset } from '../../../../../lib/model/offset.js';
import { packWindowKey } from '../../../../../lib/state/window-layout.js';
import { stillHeld, storeTimes } from '../../../../../lib/testing/simulation/checkers/store-times.js';
import { RETENTION_MS, recentStore } from '../../../../support/simulation/recent-events.js';

const HOUR_MS = 3_600_000;
const window = (startMs: number) => packWindowKey(byteKey(Buffer.from('e1')), startMs, 0);
const seen = (startMs: number, value: string | null) => ({
  offset: offset(0),
  key: window(startMs) as string,
  value,
  timestampMs: startMs,
});

it('a window is past once the newest one written, even as a delete, is its retention later', () => {
  const last = HOUR_MS + RETENTION_MS;
  const content = new Map([
    [window(HOUR_MS) as string, 'gone'],
    [window(HOUR_MS + 1) as string, 'held'],
  ]);

  expect([...stillHeld(content, storeTimes(recentStore(), [seen(last - 1, 'x')])).values()]).toEqual(['gone', 'held']);
  expect([...stillHeld(content, storeTimes(recentStore(), [seen(last, null), seen(0, 'late')])).values()]).toEqual([
    'held',
  ]);
});

it('a store whose keys carry no time holds what it has', () => {
  const content = new Map([['a', '1']]);

  expect(stillHeld(content, storeTimes(undefined, []))).toEqual(content);
});
