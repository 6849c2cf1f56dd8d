/** More keys than a call takes arguments lie in one segment of time, or in one window. */
import { expect, test } from 'vitest';
import { OpenWindows } from '../../../lib/dsl/operators/open-windows.js';
import { type ByteKey, byteKey } from '../../../lib/model/byte-key.js';
import { MemoryStore } from '../../../lib/state/memory-store.js';
import { packWindowKey, windowLayout } from '../../../lib/state/window-layout.js';

const KEYS = 200_000;
const rowAt = (index: number, startMs: number): ByteKey => packWindowKey(byteKey(Buffer.from(`k${index}`)), startMs, 0);

test('a store of windows lets go of a segment of any size, and seals as many late writes', () => {
  const store = new MemoryStore(
    'windows',
    windowLayout({ retentionMs: 1_000, inMemory: false, retainDuplicates: false }),
  );
  for (let index = 0; index < KEYS; index += 1)
    store.restore({ key: rowAt(index, 0), value: Buffer.from('1'), timestampMs: 0 });
  expect(store.size).toBe(KEYS);

  store.put(rowAt(0, 600_000), '1' as ByteKey, 600_000);
  for (let index = 0; index < KEYS; index += 1) store.put(rowAt(index, 0), '2' as ByteKey, 600_000);
  const writes = store.seal();
  store.commit();

  expect(writes).toHaveLength(1 + KEYS);
  expect(store.size).toBe(1);
});

test('as many windows as there are close together', () => {
  const windows = new OpenWindows((a, b) => (a < b ? -1 : 1));
  for (let index = 0; index < KEYS; index += 1) windows.add(10, rowAt(index, 0));

  expect(windows.takeUpTo(10)).toHaveLength(KEYS);
});
