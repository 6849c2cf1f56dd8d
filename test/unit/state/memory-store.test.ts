import { expect, test } from 'vitest';
import { type ByteKey, byteKey } from '../../../lib/model/byte-key.js';
import { InternalError } from '../../../lib/model/errors.js';
import type { StoredEntry } from '../../../lib/state/byte-store.js';
import { MemoryStore } from '../../../lib/state/memory-store.js';

const key = (text: string): ByteKey => byteKey(Buffer.from(text));
const value = (text: string): Uint8Array => Buffer.from(text);
const committedKeys = (store: MemoryStore): string[] => [...store.committed()].map((entry) => entry.key);

test('a rollback drops sealed and open writes alike, and leaves what was committed', () => {
  const store = new MemoryStore('store');
  store.put(key('kept'), value('1'), 0);
  store.seal();
  store.commit();
  store.put(key('sealed'), value('2'), 0);
  store.put(key('kept'), null, 0);
  store.seal();
  store.put(key('open'), value('3'), 0);

  store.rollback();

  expect(committedKeys(store)).toEqual(['kept']);
  expect(store.get(key('kept'))?.value).toEqual(value('1'));
  expect(store.get(key('open'))).toBe(null);
  expect(store.size).toBe(1);
});

test('commits follow the order of the seals, empty ones included', () => {
  const store = new MemoryStore('store');
  expect(store.seal()).toEqual([]);
  store.put(key('a'), value('1'), 0);
  store.seal();

  store.commit();
  expect(committedKeys(store)).toEqual([]);
  store.commit();
  expect(committedKeys(store)).toEqual(['a']);
});

test('a commit without a seal, and a restore under an overlay, are faults of the engine', () => {
  const store = new MemoryStore('store');
  expect(() => store.commit()).toThrow(InternalError);

  store.put(key('a'), value('1'), 0);

  expect(() => store.commit()).toThrow(InternalError);
  expect(() => store.restore({ key: key('b'), value: value('2'), timestampMs: 0 })).toThrow(InternalError);
});

test('a restored tombstone leaves nothing, not even for a key that was never there (traps 17, 18)', () => {
  const store = new MemoryStore('store');

  store.restore({ key: key('never'), value: null, timestampMs: 0 });
  store.restore({ key: key('a'), value: value('1'), timestampMs: 0 });
  store.restore({ key: key('a'), value: null, timestampMs: 0 });

  expect([...(store.entries({ from: null, to: null }) as Iterable<StoredEntry>)]).toEqual([]);
  expect(store.size).toBe(0);
  expect(store.sizeBytes).toBe(0);
});

test('committed values do not share memory with what was put', () => {
  const store = new MemoryStore('store');
  const bytes = Buffer.from('before');
  store.put(key('a'), bytes, 0);
  store.seal();
  store.commit();

  bytes.write('after!');

  expect(Buffer.from(store.get(key('a'))?.value ?? []).toString()).toBe('before');
});

test('bytes held are estimated from keys and values, and shrink with deletes', () => {
  const store = new MemoryStore('store');
  store.put(key('a'), Buffer.alloc(10_000), 0);
  const full = store.sizeBytes;
  store.seal();
  store.commit();
  store.put(key('a'), null, 0);
  store.seal();
  store.commit();

  expect(full).toBeGreaterThan(10_000);
  expect(store.sizeBytes).toBe(0);
});

test('clear empties image and overlays', () => {
  const store = new MemoryStore('store');
  store.restore({ key: key('a'), value: value('1'), timestampMs: 0 });
  store.put(key('b'), value('2'), 0);

  store.clear();

  expect(store.size).toBe(0);
  expect(store.get(key('a'))).toBe(null);
});
