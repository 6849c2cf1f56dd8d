/**
 * A store whose entries end some time after they were written, by the stream time of its task. There is nothing like it in Kafka
 * Streams.
 *
 * Invariants
 *   E1  an entry ends when stream time has come to its timestamp + ttl (inclusive): from then on no read shows it
 *   E2  it is removed by a tombstone, with that time as timestamp: who folds the changelog comes to the same store
 *   E3  entries are removed in order of their ends, then of their keys, whatever happened before: a task that starts again goes on as
 *       the one before it would have
 */
import type { Awaitable } from '../model/awaitable.js';
import { isPromise } from '../model/awaitable.js';
import type { ByteKey, Encoded } from '../model/byte-key.js';
import { InternalError } from '../model/errors.js';
import type { ByteStore, KeyRange, StoredEntry, StoredValue, TimeRange } from './byte-store.js';
import { PlaceHeap } from './place-heap.js';
import type { StoreProgress } from './store-progress.js';

export class ExpiringStore implements ByteStore {
  readonly name: string;
  private readonly bytes: ByteStore;
  private readonly ttlMs: number;
  private readonly streamTimeMs: () => number;
  /** A place for each key, no later than its entry's timestamp; null until somebody has to know. */
  private places: PlaceHeap | null = null;
  /** The earliest place of each key. */
  private readonly placed = new Map<ByteKey, number>();
  private operatorRemoves = false;

  constructor(bytes: ByteStore, of: { readonly ttlMs: number; streamTimeMs(): number }) {
    this.name = bytes.name;
    this.bytes = bytes;
    this.ttlMs = of.ttlMs;
    this.streamTimeMs = of.streamTimeMs;
  }

  /** Says that an operator removes what has ended, as it has to tell those after it. */
  removedByOperator(): void {
    this.operatorRemoves = true;
  }

  get isRemovedByOperator(): boolean {
    return this.operatorRemoves;
  }

  get(key: ByteKey): Awaitable<StoredValue | null> {
    const stored = this.bytes.get(key);
    return isPromise(stored) ? stored.then((later) => this.shown(later)) : this.shown(stored);
  }

  /** The entry until it is removed, though it may have ended: what those after an operator were last told. */
  getKept(key: ByteKey): Awaitable<StoredValue | null> {
    return this.bytes.get(key);
  }

  put(key: ByteKey, value: Encoded | null, timestampMs: number): boolean {
    const places = this.known();
    if (value !== null) this.place(places, key, timestampMs);
    return this.bytes.put(key, value, timestampMs);
  }

  entries(range: KeyRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    const entries = this.bytes.entries(range);
    return Symbol.iterator in entries ? this.shownOf(entries) : this.shownLaterOf(entries);
  }

  entriesByTime(range: TimeRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    return this.bytes.entriesByTime(range);
  }

  get progress(): StoreProgress {
    return this.bytes.progress;
  }

  nextSequence(): number {
    return this.bytes.nextSequence();
  }

  /** Entries that have ended and are not removed yet included. */
  get size(): number {
    return this.bytes.size;
  }

  /** When an entry ends that was written at this time. */
  endOf(timestampMs: number): number {
    return timestampMs + this.ttlMs;
  }

  /** Removes the entry that has ended longest ago, and answers it; null: none has. */
  removeNext(): StoredEntry | null {
    const places = this.known();
    for (let next = places.first; next !== null && this.hasEnded(next.timeMs); next = places.first) {
      places.takeFirst();
      if (this.placed.get(next.key) !== next.timeMs) continue;
      this.placed.delete(next.key);
      const stored = this.read(next.key);
      if (stored === null) continue;
      if (stored.timestampMs === next.timeMs) return this.remove(next.key, stored);
      this.place(places, next.key, stored.timestampMs);
    }
    return null;
  }

  /** Removes the entry of a key if it has ended, and answers it. */
  removeEnded(key: ByteKey): StoredEntry | null {
    this.known();
    const stored = this.read(key);
    return stored === null || !this.hasEnded(stored.timestampMs) ? null : this.remove(key, stored);
  }

  private remove(key: ByteKey, stored: StoredValue): StoredEntry {
    const { value, timestampMs } = stored;
    this.bytes.put(key, null, this.endOf(timestampMs));
    return { key, value, timestampMs };
  }

  /** Whether an entry of that timestamp has ended by now. */
  hasEnded(timestampMs: number): boolean {
    return this.endOf(timestampMs) <= this.streamTimeMs();
  }

  private shown<S extends StoredValue>(stored: S | null): S | null {
    return stored === null || this.hasEnded(stored.timestampMs) ? null : stored;
  }

  private *shownOf(entries: Iterable<StoredEntry>): Iterable<StoredEntry> {
    for (const entry of entries) if (this.shown(entry) !== null) yield entry;
  }

  private async *shownLaterOf(entries: AsyncIterable<StoredEntry>): AsyncIterable<StoredEntry> {
    for await (const entry of entries) if (this.shown(entry) !== null) yield entry;
  }

  /** One place a key, but where a later write has an earlier time: what is out of date is found out when it is taken. */
  private place(places: PlaceHeap, key: ByteKey, timestampMs: number): void {
    const earliest = this.placed.get(key);
    if (earliest !== undefined && earliest <= timestampMs) return;
    this.placed.set(key, timestampMs);
    places.add({ timeMs: timestampMs, key });
  }

  private known(): PlaceHeap {
    if (this.places !== null) return this.places;
    const places = new PlaceHeap();
    const entries = this.bytes.entries({ from: null, to: null });
    if (!(Symbol.iterator in entries)) throw this.notInMemory();
    for (const { key, timestampMs } of entries) this.place(places, key, timestampMs);
    this.places = places;
    return places;
  }

  private read(key: ByteKey): StoredValue | null {
    const stored = this.bytes.get(key);
    if (isPromise(stored)) throw this.notInMemory();
    return stored;
  }

  private notInMemory(): InternalError {
    return new InternalError(`store ${this.name} has a ttl and is not in memory`, { details: { store: this.name } });
  }
}
