import type { Awaitable } from '../model/awaitable.js';
import type { ByteKey, Encoded } from '../model/byte-key.js';
import type { ByteStore, KeyRange, StoredEntry, StoredValue, TimeRange } from './byte-store.js';
import type { ExpiringStore } from './expiring-store.js';
import type { StoreProgress } from './store-progress.js';

/** An expiring store as one of its writers has it open: it tells the writer of each value that had ended before it was written. */
export class ToldStore implements ByteStore {
  readonly name: string;
  /** The store that all its writers share. */
  readonly shared: ExpiringStore;
  private readonly late: () => void;

  constructor(shared: ExpiringStore, late: () => void) {
    this.name = shared.name;
    this.shared = shared;
    this.late = late;
  }

  get(key: ByteKey): Awaitable<StoredValue | null> {
    return this.shared.get(key);
  }

  /** What comes too late is written all the same: what stood there before is no longer the newest either. */
  put(key: ByteKey, value: Encoded | null, timestampMs: number): boolean {
    const isPut = this.shared.put(key, value, timestampMs);
    if (value !== null && this.shared.hasEnded(timestampMs)) this.late();
    return isPut;
  }

  entries(range: KeyRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    return this.shared.entries(range);
  }

  entriesByTime(range: TimeRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    return this.shared.entriesByTime(range);
  }

  get progress(): StoreProgress {
    return this.shared.progress;
  }

  nextSequence(): number {
    return this.shared.nextSequence();
  }

  get size(): number {
    return this.shared.size;
  }
}
