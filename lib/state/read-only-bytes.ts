import type { Awaitable } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { ByteStore, KeyRange, StoredEntry, StoredValue, TimeRange } from './byte-store.js';
import { writeRefused } from './read-only-store.js';
import type { StoreProgress } from './store-progress.js';

/**
 * The bytes of a store for readers alone: whatever a store of any kind calls its writes, they end here, and throw.
 *
 * @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE from the writes
 */
export class ReadOnlyBytes implements ByteStore {
  readonly name: string;
  private readonly bytes: ByteStore;
  private readonly why: string;

  constructor(bytes: ByteStore, why: string) {
    this.name = bytes.name;
    this.bytes = bytes;
    this.why = why;
  }

  get(key: ByteKey): Awaitable<StoredValue | null> {
    return this.bytes.get(key);
  }

  put(): never {
    throw writeRefused(this.name, this.why);
  }

  entries(range: KeyRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    return this.bytes.entries(range);
  }

  entriesByTime(range: TimeRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    return this.bytes.entriesByTime(range);
  }

  get progress(): StoreProgress {
    return this.bytes.progress;
  }

  nextSequence(): never {
    throw writeRefused(this.name, this.why);
  }

  get size(): number {
    return this.bytes.size;
  }
}
