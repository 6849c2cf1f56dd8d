/** Keys of windowed changelogs, read as what they say: for tests and tools, which read changelogs as topics. */
import { type ByteKey, byteKey, bytesOfKey } from '../model/byte-key.js';
import type { Windowed } from '../model/windowed.js';
import { lookupsOfParts } from '../serde/lookups.js';
import type { Serde } from '../serde/serde.js';
import { packSessionKey, readSessionKey } from './session-layout.js';
import { packWindowKey, readWindowKey } from './window-layout.js';

/** A key of a window store's changelog; `sequence` is 0 unless the store keeps duplicates. */
export interface WindowChangelogKey<K> extends Windowed<K> {
  readonly sequence: number;
}

/** @param endOf the end (exclusive) of the window that begins at a time */
export function windowChangelogKeys<K>(
  key: Serde<K>,
  endOf: (startMs: number) => number,
): Serde<WindowChangelogKey<K>> {
  return {
    serialize: ({ key: of, window, sequence }) =>
      bytesOfKey(packWindowKey(byteKey(key.serialize(of)), window.startMs, sequence)),
    deserialize: (bytes) => {
      const { key: of, startMs, sequence } = readWindowKey(byteKey(bytes));
      return { key: key.deserialize(bytesOfKey(of)), window: { startMs, endMs: endOf(startMs) }, sequence };
    },
    ...keyLookups(key, (packed) => readWindowKey(packed).key),
  };
}

/** As {@link windowChangelogKeys}, of windows of which none is kept twice. */
export function windowStoreKeys<K>(key: Serde<K>, endOf: (startMs: number) => number): Serde<Windowed<K>> {
  const { serialize, deserialize, ...lookups } = windowChangelogKeys(key, endOf);
  return {
    ...lookups,
    serialize: (windowed) => serialize({ ...windowed, sequence: 0 }),
    deserialize: (bytes) => {
      const { key: of, window } = deserialize(bytes);
      return { key: of, window };
    },
  };
}

export function sessionChangelogKeys<K>(key: Serde<K>): Serde<Windowed<K>> {
  return {
    serialize: ({ key: of, window }) =>
      bytesOfKey(packSessionKey(byteKey(key.serialize(of)), window.startMs, window.endMs)),
    deserialize: (bytes) => {
      const { key: of, startMs, endMs } = readSessionKey(byteKey(bytes));
      return { key: key.deserialize(bytesOfKey(of)), window: { startMs, endMs } };
    },
    ...keyLookups(key, (packed) => readSessionKey(packed).key),
  };
}

function keyLookups<K>(key: Serde<K>, keyOf: (packed: ByteKey) => ByteKey) {
  return lookupsOfParts([key], (bytes, start, end, visit) => {
    const of = bytesOfKey(keyOf(byteKey(bytes.subarray(start, end))));
    visit(key, of, 0, of.length);
  });
}
