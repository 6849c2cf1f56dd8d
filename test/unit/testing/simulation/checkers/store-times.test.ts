import { expect, it } from 'vitest';
import { byteKey } from '../../../../../lib/model/byte-key.js';
import { offset } from '../../../../../lib/model/offset.js';
import { string } from '../../../../../lib/serde/string-serde.js';
import { packWindowKey } from '../../../../../lib/state/window-layout.js';
import { foldOf } from '../../../../../lib/testing/simulation/checkers/store-contents.js';
import { stillHeld, storeTimes } from '../../../../../lib/testing/simulation/checkers/store-times.js';
import { versionedStore } from '../../../../../lib/topology/windowed-stores.js';
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

it('a versioned store has each version under its time, deletes too, until its history ends', () => {
  const spec = versionedStore({ name: 'rows', key: string(), value: string(), historyRetention: '1s' });
  const record = (value: string | null, timestampMs: number) => ({ offset: offset(0), key: 'k', value, timestampMs });
  const records = [record('old', 1_000), record(null, 2_500), record('late', 2_000), record('new', 3_000)];

  const held = stillHeld(foldOf(records, spec), storeTimes(spec, records));

  expect([...held.values()]).toEqual(['2500:\u0000', '3000:\u0001new']);
});
