/**
 * A store that is larger than memory: a snapshot that is read as keys are asked for, under what was written since.
 *
 * Invariants (T1 to T5 of byte-store.ts hold)
 *   Z1  what was written since the base, committed or not, lies in memory and is asked first, deletes included; so the base may be
 *       replaced by any other that is no older than it and no newer than what is committed here
 *   Z2  an answer that had to be waited for is the store's as it is when the answer comes: a write meanwhile is seen
 *   Z3  keys alone are kept, in no segments of time: a store with a layout is not lazy
 *   Z4  who reads while a base takes the place of another goes on in the new one: what was let go of here is there, not in the old one
 */
import { type Awaitable, isPromise } from '../model/awaitable.js';
import { type ByteKey, type Encoded, justAfter } from '../model/byte-key.js';
import { InternalError } from '../model/errors.js';
import type { KeyRange, StoredEntry, StoredValue, StoreWrite, TransactionalStore } from './byte-store.js';
import type { ColdBase } from './cold-base.js';
import { EntriesAhead } from './entries-ahead.js';
import { MemoryStore } from './memory-store.js';
import type { StoreProgress } from './store-progress.js';

export class LazyStore implements TransactionalStore {
  readonly name: string;
  private readonly hot: MemoryStore;
  private base: ColdBase;
  /** What the base holds of keys that are asked for soon. */
  private ahead: EntriesAhead;
  /** Keys committed since {@link beginRebase}; null: no new base is on its way. */
  private since: Set<ByteKey> | null = null;
  /** Oldest first: what sealed overlays wrote. */
  private sealed: (readonly StoreWrite[])[] = [];

  constructor(name: string, base: ColdBase) {
    this.name = name;
    this.base = base;
    this.ahead = new EntriesAhead(base);
    this.hot = new MemoryStore(name, null, base !== NOTHING);
  }

  get(key: ByteKey): Awaitable<StoredValue | null> {
    const hot = this.hot.look(key);
    if (hot !== undefined) return hot;
    const { base } = this;
    const cold = this.ahead.get(key);
    if (!isPromise(cold)) return cold;
    return cold.then((found) => {
      const written = this.hot.look(key);
      if (written !== undefined) return written;
      return this.base === base ? found : this.get(key); // Z4
    });
  }

  prefetch(keys: Iterable<ByteKey>): void {
    if (this.base.countMax === 0) return;
    const unknown: ByteKey[] = [];
    for (const key of keys) if (this.hot.look(key) === undefined) unknown.push(key);
    this.ahead.read(unknown);
  }

  put(key: ByteKey, value: Encoded | null, timestampMs: number): boolean {
    return this.hot.put(key, value, timestampMs);
  }

  entries(range: KeyRange): AsyncIterable<StoredEntry> {
    return this.walk(range, this.hot.openReader());
  }

  private async *walk({ from, to, reverse = false }: KeyRange, opened: number): AsyncGenerator<StoredEntry> {
    let { base } = this;
    let cold = base.entries({ from, to, reverse })[Symbol.asyncIterator]();
    const isBefore = (a: ByteKey, b: ByteKey) => (reverse ? a > b : a < b);
    const isBeyond = (key: ByteKey) => (reverse ? from !== null && key < from : to !== null && key >= to);
    let last = reverse ? to : from;
    let inclusive = !reverse;
    try {
      let next = await cold.next();
      for (;;) {
        if (this.base !== base) {
          // Z4: from the last key on, which is left out.
          await cold.return?.(undefined);
          base = this.base;
          const rest = reverse || inclusive || last === null ? last : justAfter(last);
          cold = base.entries(reverse ? { from, to: rest, reverse } : { from: rest, to })[Symbol.asyncIterator]();
          next = await cold.next();
          continue; // another may have come meanwhile
        }
        let key = this.hot.nearest(last, inclusive, reverse);
        if (key !== null && isBeyond(key)) key = null;
        let below: StoredEntry | null = null;
        if (next.done !== true && (key === null || !isBefore(key, next.value.key))) {
          below = next.value;
          key = next.value.key;
        }
        if (key === null) return;
        const hot = this.hot.lookAsOf(key, opened, below !== null);
        const found = hot === undefined ? below : hot;
        last = key;
        inclusive = false;
        if (found !== null) yield { key, value: found.value, timestampMs: found.timestampMs };
        if (below !== null) next = await cold.next();
      }
    } finally {
      await cold.return?.(undefined);
    }
  }

  *entriesByTime(): Iterable<StoredEntry> {}

  get progress(): StoreProgress {
    return this.hot.progress;
  }

  nextSequence(): number {
    return this.hot.nextSequence();
  }

  /** At most: a key of the base that was written again counts twice. */
  get size(): number {
    return this.base.countMax + this.hot.size;
  }

  /** What lies in memory; blocks of the base are the cache's. */
  get sizeBytes(): number {
    return this.hot.sizeBytes + this.ahead.sizeBytes;
  }

  seal(): readonly StoreWrite[] {
    const writes = this.hot.seal();
    this.sealed.push(writes);
    return writes;
  }

  commit(): void {
    this.hot.commit();
    const writes = this.sealed.shift() ?? [];
    if (this.since !== null) for (const { key } of writes) this.since.add(key);
  }

  rollback(): void {
    this.sealed = [];
    this.hot.rollback();
  }

  restore(write: StoreWrite): void {
    this.since?.add(write.key);
    this.hot.restore(write);
  }

  load(entry: StoreWrite): void {
    this.restore(entry);
  }

  resume(progress: StoreProgress): void {
    this.hot.resume(progress);
  }

  clear(): void {
    this.lieOver(NOTHING);
    this.hot.keepsDeletes = false;
    this.since = null;
    this.sealed = [];
    this.hot.clear();
  }

  /** @throws {InternalError} STREAMS_INTERNAL if it lies in a snapshot: what lies elsewhere is not at hand; see {@link changes} */
  committed(): Iterable<StoredEntry> {
    if (!this.lies) return this.hot.committed();
    throw new InternalError(`store ${this.name} does not lie in memory`, { details: { store: this.name } });
  }

  /** Whether there is anything below what is in memory: else all of the store is there. */
  get lies(): boolean {
    return this.base !== NOTHING;
  }

  /** What lies below what is in memory. */
  get below(): ColdBase {
    return this.base;
  }

  /** What was committed since the base, deletes (null) included, in key order. */
  changes(): readonly StoreWrite[] {
    return [...this.hot.changes()];
  }

  /** As {@link changes}, for a new base: from now on the store remembers what is committed, for {@link rebase}. */
  beginRebase(): readonly StoreWrite[] {
    this.since = new Set();
    this.hot.keepsDeletes = true;
    return this.changes();
  }

  /** There will be no base of what {@link beginRebase} answered last. */
  giveUpRebase(): void {
    this.since = null;
    this.hot.keepsDeletes = this.lies;
  }

  /** A base that has what {@link beginRebase} answered last takes the place of the old one; that is let go of here (Z1). */
  rebase(base: ColdBase, changes: readonly StoreWrite[]): void {
    this.lieOver(base);
    const { since } = this;
    this.giveUpRebase();
    if (since === null) return;
    for (const { key } of changes) if (!since.has(key)) this.hot.forget(key);
  }

  private lieOver(base: ColdBase): void {
    this.base = base;
    this.ahead = new EntriesAhead(base);
  }
}

/** What lies below a store that has no snapshot yet. */
export const NOTHING: ColdBase = {
  get: () => null,
  getAll: async () => new Map(),
  async *entries() {},
  countMax: 0,
};
