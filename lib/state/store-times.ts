import type { Awaitable } from '../model/awaitable.js';
import { InvalidStateStoreError } from '../model/errors.js';
import type { StoredEntry } from './byte-store.js';

type Entries = AsyncIterable<StoredEntry> | Iterable<StoredEntry>;

/** @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE unless it is a whole number from 0 */
export function expectTime(store: string, what: string, timeMs: number): void {
  if (Number.isSafeInteger(timeMs) && timeMs >= 0) return;
  throw new InvalidStateStoreError(`store ${store}: ${what} must be whole milliseconds from 0, not ${timeMs}`, {
    details: { store, [what]: timeMs },
  });
}

/** The first entry that will do, at once where the entries are in memory. */
export function firstOf(entries: Entries, will: (entry: StoredEntry) => boolean): Awaitable<StoredEntry | null> {
  if (Symbol.asyncIterator in entries) return firstAwaited(entries, will);
  for (const entry of entries) if (will(entry)) return entry;
  return null;
}

async function firstAwaited(
  entries: AsyncIterable<StoredEntry>,
  will: (entry: StoredEntry) => boolean,
): Promise<StoredEntry | null> {
  for await (const entry of entries) if (will(entry)) return entry;
  return null;
}
