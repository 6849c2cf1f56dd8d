import { expect, test } from 'vitest';
import { InvalidStateStoreError } from '../../../lib/model/errors.js';
import { string } from '../../../lib/serde/string-serde.js';
import { MemoryStore } from '../../../lib/state/memory-store.js';
import type { SessionStore, VersionedKeyValueStore, WindowStore } from '../../../lib/state/state-store.js';
import { sessionStore, versionedStore, windowStore } from '../../../lib/topology/windowed-stores.js';
import { DrivenStore, listed } from '../../support/windowed-stores.js';

const serdes = { key: string(), value: string() };
const hex = (key: string) => Buffer.from(key, 'latin1').toString('hex');
const text = (value: Uint8Array | null) => (value === null ? null : Buffer.from(value).toString());

function windows(more: { readonly retainDuplicates?: boolean } = {}) {
  const spec = windowStore({ ...serdes, name: 'w', retention: 1_000, windowSize: 100, ...more });
  return new DrivenStore<WindowStore<string, string>>(spec);
}

function versions() {
  const spec = versionedStore({ ...serdes, name: 'v', historyRetention: 5_000 });
  return new DrivenStore<VersionedKeyValueStore<string, string>>(spec);
}

test("a window's changelog key is the key, 8 bytes of start and 4 of sequence number", async () => {
  const plain = windows();
  const joined = windows({ retainDuplicates: true });

  await plain.store.put('ab', 'x', 0x0123456789ab);
  await joined.store.put('ab', 'x', 0x0123456789ab);
  plain.commitAll();
  joined.commitAll();

  expect(plain.changelog.map(({ key }) => hex(key))).toEqual(['6162' + '00000123456789ab' + '00000000']);
  expect(joined.changelog.map(({ key }) => hex(key))).toEqual(['6162' + '00000123456789ab' + '00000001']);
});

test("a session's changelog key is the key, 8 bytes of end and 8 of start", async () => {
  const sessions = new DrivenStore<SessionStore<string, string>>(
    sessionStore({ ...serdes, name: 's', retention: 1_000 }),
  );

  await sessions.store.put({ key: 'ab', window: { startMs: 1, endMs: 256 } }, 'x');
  sessions.commitAll();

  expect(sessions.changelog.map(({ key }) => hex(key))).toEqual(['6162' + '0000000000000100' + '0000000000000001']);
});

test("a version's changelog record has the plain key and value, and the version's time; each version of a commit is one", async () => {
  const real = versions();

  await real.store.put('a', 'x', 10);
  await real.store.put('a', '', 20);
  await real.store.put('a', null, 30);
  real.commitAll();

  expect(real.changelog.map(({ key, value, timestampMs }) => [key, text(value), timestampMs])).toEqual([
    ['a', 'x', 10],
    ['a', '', 20],
    ['a', null, 30],
  ]);
});

test('a window past the retention is logged and counted, as Kafka Streams does, and not stored', async () => {
  const real = windows();

  await real.store.put('a', 'new', 5_000);
  await real.store.put('a', 'at the edge', 4_001);
  await real.store.put('a', 'late', 4_000);
  real.commitAll();

  expect((await listed(real.store.all())).map(({ value }) => value)).toEqual(['at the edge', 'new']);
  expect(await real.store.fetch('a', 4_000)).toBeNull();
  expect(real.expired).toBe(1);
  expect(real.changelog.map(({ value }) => text(value))).toEqual(['new', 'at the edge', 'late']);
});

test('a version older than the history is logged and counted, not stored, and restored as little', async () => {
  const real = versions();

  await real.store.put('b', 'new', 9_000);
  const late = await real.store.put('a', 'late', 3_999);
  real.commitAll();

  expect(late).toEqual({ isPut: false, validToMs: null });
  expect(real.expired).toBe(1);
  expect(real.changelog).toHaveLength(2);
  for (const restored of [real.store, ...real.restored()]) expect(await restored.get('a')).toBeNull();
});

test('a delete of a window that was never there restores to nothing (traps 17, 18)', async () => {
  const real = windows();

  await real.store.put('a', null, 10);
  real.commitAll();

  for (const restored of real.restored()) expect(await listed(restored.all())).toEqual([]);
});

test('a delete of a session that was never there restores to nothing (traps 17, 18)', async () => {
  const real = new DrivenStore<SessionStore<string, string>>(sessionStore({ ...serdes, name: 's', retention: 1_000 }));

  await real.store.put({ key: 'a', window: { startMs: 1, endMs: 2 } }, null);
  real.commitAll();

  expect(real.changelog).toHaveLength(1);
  for (const restored of real.restored()) expect(await listed(restored.fetch('a'))).toEqual([]);
});

test('duplicates are kept beside each other and a null among them deletes nothing', async () => {
  const { store } = windows({ retainDuplicates: true });

  for (const value of ['1', null, '2']) await store.put('a', value, 10);

  expect((await listed(store.fetch('a', 0, 100))).map(({ value }) => value)).toEqual(['1', '2']);
});

test('what is no time is refused before anything is written', async () => {
  const real = windows();
  const sessions = new DrivenStore<SessionStore<string, string>>(
    sessionStore({ ...serdes, name: 's', retention: 1_000 }),
  );

  for (const startMs of [-1, 1.5, Number.NaN, 2 ** 60]) {
    expect(() => real.store.put('a', 'x', startMs)).toThrow(InvalidStateStoreError);
  }
  expect(() => sessions.store.put({ key: 'a', window: { startMs: 2, endMs: 1 } }, 'x')).toThrow(InvalidStateStoreError);
  real.commitAll();

  expect(real.changelog).toEqual([]);
});

test('ranges of time may be open at both ends', async () => {
  const { store } = windows();

  await store.put('a', 'x', 10);

  const found = await listed(store.fetch('a', Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY));
  expect(found).toEqual([{ startMs: 10, value: 'x' }]);
});

test('a changelog with keys of another kind of store is refused', () => {
  const { layout } = windowStore({ ...serdes, name: 'w', retention: 1_000, windowSize: 100 });
  const store = new MemoryStore('w', layout ?? null);

  expect(() => store.restore({ key: 'short' as never, value: Buffer.from('x'), timestampMs: 0 })).toThrow(
    /no key of a window store/,
  );
});
