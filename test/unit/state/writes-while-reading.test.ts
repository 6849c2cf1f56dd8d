import { describe, expect, test } from 'vitest';
import { string } from '../../../lib/index.js';
import { byteKey } from '../../../lib/model/byte-key.js';
import { openKeyValueStore } from '../../../lib/state/key-value-store.js';
import { MemoryStore } from '../../../lib/state/memory-store.js';
import type { Entries, KeyValueStore } from '../../../lib/state/state-store.js';
import { packWindowKey, windowLayout } from '../../../lib/state/window-layout.js';
import { openWindowStore } from '../../../lib/state/window-store.js';

/** Far more than any of these reads may visit. */
const ENDLESS = 1_000;
const clock = { timestampMs: () => 0 };

function storeOf(...keys: string[]): { store: KeyValueStore<string, string>; bytes: MemoryStore } {
  const bytes = new MemoryStore('s');
  const store = openKeyValueStore<string, string>(
    bytes,
    { name: 's', keySerde: string(), valueSerde: string() },
    clock,
  );
  for (const key of keys) bytes.put(byteKey(Buffer.from(key)), Buffer.from('1'), 0);
  return { store, bytes };
}

/** Reads all, and lets `visit` write at each entry. */
async function visited(
  entries: Entries<string, string>,
  visit: (key: string, value: string) => unknown = () => undefined,
): Promise<string> {
  const seen: string[] = [];
  for await (const { key, value } of entries) {
    seen.push(`${key}=${value}`);
    if (seen.length >= ENDLESS) break;
    await visit(key, value);
  }
  return seen.join(' ');
}

describe.each([
  ['nothing is committed', () => undefined],
  [
    'all was committed before',
    (bytes: MemoryStore) => {
      bytes.seal();
      bytes.commit();
    },
  ],
  ['the transaction before is not decided', (bytes: MemoryStore) => bytes.seal()],
])('who writes while reading, where %s,', (_, settle) => {
  const begun = (...keys: string[]) => {
    const made = storeOf(...keys);
    settle(made.bytes);
    return made;
  };

  test('is not shown what is put ahead, and so comes to an end', async () => {
    const { store } = begun('a', 'b');

    expect(await visited(store.all(), (key, value) => store.put(`${key}x`, value))).toBe('a=1 b=1');
    expect(await visited(store.all())).toBe('a=1 ax=1 b=1 bx=1');
  });

  test('is shown what Kafka’s in-memory store shows: new values, no deleted entry, none that came since', async () => {
    const { store } = begun('a', 'b', 'c', 'd', 'e');
    const write = async (key: string) => {
      if (key !== 'a') return;
      await store.put('c', '2');
      await store.delete('d');
      await store.put('cc', '9');
      await store.put('a', '5');
    };

    expect(await visited(store.all(), write)).toBe('a=1 b=1 c=2 e=1');
  });

  test('is shown the same from the other end', async () => {
    const { store } = begun('a', 'b', 'c', 'd', 'e');
    const write = async (key: string) => {
      if (key !== 'e') return;
      await store.put('b', '7');
      await store.delete('c');
      await store.put('aa', '9');
    };

    expect(await visited(store.reverseAll(), write)).toBe('e=1 d=1 b=7 a=1');
  });

  test('is not shown an entry that was deleted and came again', async () => {
    const { store } = begun('a', 'b', 'c');
    await store.delete('c');

    const seen = await visited(store.range('a', 'z'), async (key) => {
      if (key !== 'a') return;
      await store.delete('b');
      await store.put('b', 'again');
      await store.put('c', 'again');
    });

    expect(seen).toBe('a=1');
    expect(await visited(store.all())).toBe('a=1 b=again c=again');
  });
});

test('a read is as of when it was asked for, not of its first step', async () => {
  const { store } = storeOf('a');
  const entries = store.all();
  await store.put('b', '1');

  expect(await visited(entries)).toBe('a=1');
});

test('reads that overlap are each as of their own beginning', async () => {
  const { store } = storeOf('a', 'c');
  const first = store.all();
  await store.put('b', '1');
  const second = store.all();
  await store.put('bb', '1');

  expect([await visited(first), await visited(second), await visited(store.all())]).toEqual([
    'a=1 c=1',
    'a=1 b=1 c=1',
    'a=1 b=1 bb=1 c=1',
  ]);
});

test('windows that are put ahead of a read of their key are not visited', async () => {
  const layout = windowLayout({ retentionMs: 1_000_000, inMemory: false, retainDuplicates: false });
  const bytes = new MemoryStore('w', layout);
  bytes.put(packWindowKey(byteKey(Buffer.from('k')), 0, 0), Buffer.from('v'), 0);
  const settings = {
    name: 'w',
    keySerde: string(),
    valueSerde: string(),
    retentionMs: 1_000_000,
    endOf: (startMs: number) => startMs + 10,
    retainDuplicates: false,
  };
  const store = openWindowStore<string, string>(bytes, settings, clock);
  const seen: number[] = [];

  for await (const { startMs } of store.fetch('k', 0, Number.MAX_SAFE_INTEGER)) {
    seen.push(startMs);
    if (seen.length >= ENDLESS) break;
    await store.put('k', 'v', startMs + 10);
  }

  expect(seen).toEqual([0]);
});
