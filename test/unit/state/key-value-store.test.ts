import { describe, expect, test } from 'vitest';
import { DeserializationError, InvalidStateStoreError, SerializationError } from '../../../lib/model/errors.js';
import { long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';
import { openKeyValueStore } from '../../../lib/state/key-value-store.js';
import { MemoryStore } from '../../../lib/state/memory-store.js';
import type { Entries } from '../../../lib/state/state-store.js';
import { openTimestampedKeyValueStore } from '../../../lib/state/timestamped-key-value-store.js';

const options = { name: 'store', keySerde: string(), valueSerde: string() };
const clock = { timestampMs: () => 7 };

function filled() {
  const bytes = new MemoryStore('store');
  const store = openKeyValueStore(bytes, options, clock);
  store.putAll(['b', 'a', 'ab', 'c'].map((key) => ({ key, value: key.toUpperCase() })));
  return { bytes, store };
}

/** What the overlay wrote, as plain values. */
function sealed(bytes: MemoryStore) {
  return bytes.seal().map(({ key, value, timestampMs }) => ({ key, value, timestampMs }));
}

async function keys<K, V>(entries: Entries<K, V>): Promise<K[]> {
  const list: K[] = [];
  for await (const { key } of entries) list.push(key);
  return list;
}

describe('a key-value store', () => {
  test('answers without a promise where the value is in memory', () => {
    const { store } = filled();

    expect(store.get('ab')).toBe('AB');
    expect(store.get('zz')).toBe(null);
    expect(store.approximateNumEntries()).toBe(4);
  });

  test('ranges include both ends, run both ways, and are empty if from is above to', async () => {
    const { store } = filled();

    expect(await keys(store.range('a', 'b'))).toEqual(['a', 'ab', 'b']);
    expect(await keys(store.range(null, 'ab'))).toEqual(['a', 'ab']);
    expect(await keys(store.range('ab'))).toEqual(['ab', 'b', 'c']);
    expect(await keys(store.reverseRange('a', 'b'))).toEqual(['b', 'ab', 'a']);
    expect(await keys(store.range('c', 'a'))).toEqual([]);
    expect(await keys(store.all())).toEqual(['a', 'ab', 'b', 'c']);
    expect(await keys(store.reverseAll())).toEqual(['c', 'b', 'ab', 'a']);
    expect(await keys(store.prefixScan('a', string()))).toEqual(['a', 'ab']);
  });

  test('putIfAbsent and delete answer what was there', () => {
    const { store } = filled();

    expect(store.putIfAbsent('a', 'x')).toBe('A');
    expect(store.putIfAbsent('new', 'x')).toBe(null);
    expect(store.get('new')).toBe('x');
    expect(store.delete('new')).toBe('x');
    expect(store.delete('new')).toBe(null);
    store.put('a', null);
    expect(store.get('a')).toBe(null);
  });

  test('every write, also the delete of an absent key, is a changelog record with the timestamp of the record', async () => {
    const bytes = new MemoryStore('store');
    const store = openKeyValueStore(bytes, options, clock);

    store.put('a', 'x');
    await store.delete('never');

    expect(sealed(bytes)).toEqual([
      { key: 'a', value: Buffer.from('x'), timestampMs: 7 },
      { key: 'never', value: null, timestampMs: 7 },
    ]);
  });

  test('entries may be deleted while they are read', async () => {
    const { store } = filled();
    const seen: string[] = [];

    for await (const { key } of store.all()) {
      seen.push(key);
      await store.delete(key);
    }

    expect(seen).toEqual(['a', 'ab', 'b', 'c']);
    expect(await keys(store.all())).toEqual([]);
  });

  test('a null key is refused', () => {
    const { store } = filled();

    expect(() => store.get(null as unknown as string)).toThrow(InvalidStateStoreError);
  });

  test('values that do not fit the serde, or cannot be read with it, are errors that name the store', () => {
    const bytes = new MemoryStore('store');
    const wrong = openKeyValueStore(bytes, { ...options, valueSerde: long() }, clock);
    openKeyValueStore(bytes, options, clock).put('a', 'text');

    expect(() => wrong.put('b', 'no number' as unknown as number)).toThrow(SerializationError);
    expect(() => wrong.get('a')).toThrow(DeserializationError);
    expect(() => wrong.get('a')).toThrow(/store store/);
  });
});

describe('a timestamped key-value store', () => {
  test('keeps the timestamp beside the plain bytes of the value', async () => {
    const bytes = new MemoryStore('store');
    const store = openTimestampedKeyValueStore(bytes, options, clock);

    store.put('a', { value: 'x', timestampMs: 42 });

    expect(store.get('a')).toEqual({ value: 'x', timestampMs: 42 });
    await store.delete('a');
    expect(sealed(bytes)).toEqual([{ key: 'a', value: null, timestampMs: 7 }]);
  });
});
