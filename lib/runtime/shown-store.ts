import type { Awaitable } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import { InternalError, InvalidStateStoreError } from '../model/errors.js';
import type { ByteStore, KeyRange, StoredEntry, StoredValue, TimeRange } from '../state/byte-store.js';
import type { StoreProgress } from '../state/store-progress.js';

/**
 * A store as its readers hold it while what it shows may be replaced: a global store that has to be loaded anew is loaded beside
 * the old one, and shown when it is ready.
 */
export class ShownStore implements ByteStore {
  readonly name: string;
  private shown: ByteStore | null = null;

  constructor(name: string) {
    this.name = name;
  }

  show(store: ByteStore): void {
    this.shown = store;
  }

  get(key: ByteKey): Awaitable<StoredValue | null> {
    return this.content.get(key);
  }

  entries(range: KeyRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    return this.content.entries(range);
  }

  entriesByTime(range: TimeRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    return this.content.entriesByTime(range);
  }

  get progress(): StoreProgress {
    return this.content.progress;
  }

  get size(): number {
    return this.content.size;
  }

  put(): never {
    throw this.refused();
  }

  nextSequence(): never {
    throw this.refused();
  }

  private get content(): ByteStore {
    if (this.shown !== null) return this.shown;
    throw new InvalidStateStoreError(`store ${this.name} is not loaded yet`, { details: { store: this.name } });
  }

  private refused(): InternalError {
    return new InternalError(`store ${this.name} is written through a view of it`, { details: { store: this.name } });
  }
}
