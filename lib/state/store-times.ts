import { type Awaitable, andThen } from '../model/awaitable.js';
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

/** All entries up to the first that is the last wanted (inclusive), at once where they are in memory; absent: all there are. */
export function collected(
  entries: Entries,
  isLast: (entry: StoredEntry) => boolean = () => false,
): Awaitable<readonly StoredEntry[]> {
  const all: StoredEntry[] = [];
  const last = firstOf(entries, (entry) => {
    all.push(entry);
    return isLast(entry);
  });
  return andThen(last, () => all);
}

async function firstAwaited(
  entries: AsyncIterable<StoredEntry>,
  will: (entry: StoredEntry) => boolean,
): Promise<StoredEntry | null> {
  for await (const entry of entries) if (will(entry)) return entry;
  return null;
}
