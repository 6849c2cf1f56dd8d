import type { StoredEntry } from '../state/byte-store.js';

/**
 * The same entries, of which each further one is only read while that is allowed: an iterator outlives the call that opened it.
 *
 * @param check throws where it is not
 */
export function checkedEntries(
  entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
  check: () => void,
): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
  return Symbol.iterator in entries ? checkedNow(entries, check) : checkedLater(entries, check);
}

function checkedNow(entries: Iterable<StoredEntry>, check: () => void): Iterable<StoredEntry> {
  return {
    [Symbol.iterator]() {
      const inner = entries[Symbol.iterator]();
      return {
        next() {
          check();
          return inner.next();
        },
        return: () => inner.return?.() ?? { done: true, value: undefined },
      };
    },
  };
}

function checkedLater(entries: AsyncIterable<StoredEntry>, check: () => void): AsyncIterable<StoredEntry> {
  return {
    [Symbol.asyncIterator]() {
      const inner = entries[Symbol.asyncIterator]();
      return {
        async next() {
          check();
          return inner.next();
        },
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
