/**
 * One partition of one store, as bytes: what every kind of store is built on.
 *
 * Keys are {@link ByteKey}s, ordered as unsigned bytes. Each entry carries the timestamp of the record that wrote it,
 * since that is the timestamp of its changelog record. Typed stores (key-value, timestamped, window, session,
 * versioned) are thin wrappers that make keys and values; what the engine has to know of keys with a time in them is their
 * layout (store-layout.ts).
 *
 * The engine's view of the same store is {@link TransactionalStore}.
 */
import type { Awaitable } from '../model/awaitable.js';
import type { ByteKey, Encoded, PackedBytes } from '../model/byte-key.js';
import type { StoreProgress } from './store-progress.js';

/** A value of a store with the timestamp of its write. */
export interface StoredValue {
  readonly value: Uint8Array;
  readonly timestampMs: number;
}

/** An entry of a store in key order. */
export interface StoredEntry extends StoredValue {
  readonly key: ByteKey;
}

/** Which entries, from `from` (inclusive) to `to` (exclusive); null is open. `reverse` reads from the greatest down. */
export interface KeyRange {
  readonly from: ByteKey | null;
  readonly to: ByteKey | null;
  readonly reverse?: boolean;
}

/** Which times, from `fromMs` to `toMs`, both inclusive. `reverse` turns all order round. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reverse?: boolean;
}

/** Reads and writes as user code's stores see them: through the overlays, own writes included. */
export interface ByteStore {
  readonly name: string;
  get(key: ByteKey): Awaitable<StoredValue | null>;
  /**
   * A value of null deletes; the timestamp is that of the changelog record.
   *
   * @returns false if the key's time is past the retention: then the write goes to the changelog, as in Kafka Streams, but is not
   *   part of the store
   */
  put(key: ByteKey, value: Encoded | null, timestampMs: number): boolean;
  /**
   * Entries in order: those that are there when this is called, each as it is when the iterator comes to it. One that is deleted meanwhile
   * is not delivered, one that is written over is with its new value, and one that comes meanwhile, or comes again, is not (T7).
   */
  entries(range: KeyRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry>;
  /**
   * Entries of a range of time, by segments of time and within each in the layout's order; a store without layout has none.
   * Entries that come into a segment while it is read are not seen.
   */
  entriesByTime(range: TimeRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry>;
  /** How far the store has come, own writes included. */
  readonly progress: StoreProgress;
  /** Counts a duplicate, and answers its number. */
  nextSequence(): number;
  /** Number of entries. */
  readonly size: number;
}

/** One write that a transaction makes: the changelog record of `key`. */
export interface StoreWrite {
  readonly key: ByteKey;
  /** Null is a tombstone. */
  readonly value: Uint8Array | null;
  /** The same packed, where the store has it so: then `value` makes a copy when it is asked for. */
  readonly packed?: PackedBytes | null;
  readonly timestampMs: number;
}

/**
 * The engine's view: a committed image and a stack of overlays.
 *
 * Invariants
 *   T1  `get` and `entries` see the newest overlay first, then older ones, then the image
 *   T2  the image holds only what was committed: it changes by `commit` and `restore` alone
 *   T3  `commit` merges the oldest sealed overlay; `rollback` drops every overlay, sealed or open
 *   T4  `seal` gives what the open overlay wrote, the last value per key; writes that came too late for the retention are given too
 *   T5  progress belongs to the transaction that made it: `commit` makes it true, `rollback` takes it back
 *   T6  what retention lets go goes from the image alone, by the time of what was committed, and leaves no write
 *   T7  an iterator of `entries` delivers nothing that was not there when it was opened, wherever it lies, for as long as the transaction
 *       that put it there is undecided: who writes while reading comes to an end. What a commit or a restore brings may be delivered
 */
export interface TransactionalStore extends ByteStore {
  /** Closes the open overlay and answers its writes; later writes go to a new one. An empty overlay gives an empty list. */
  seal(): readonly StoreWrite[];
  /** The transaction of the oldest sealed overlay was committed. */
  commit(): void;
  /** The transaction failed or its outcome is unknown: all overlays go. */
  rollback(): void;
  /** Applies one changelog record to the image; only legal while there is no overlay. */
  restore(write: StoreWrite): void;
  /** Takes one entry of another image of this store (a snapshot) into this one; only legal while there is no overlay. */
  load(entry: StoreWrite): void;
  /** Takes over progress that entries do not tell, or not all of it; only legal while there is no overlay. */
  resume(progress: StoreProgress): void;
  /** Empties image and overlays. */
  clear(): void;
  /** The committed image in key order, where it lies in memory; must not be written while it is read, except by `commit` (copy on write is not promised: collect what you need before yielding). */
  committed(): Iterable<StoredEntry>;
  /** Bytes held by image and overlays, estimated. */
  readonly sizeBytes: number;
  /** Says that these keys are about to be asked for. Absent: all of the store is in memory. */
  prefetch?(keys: Iterable<ByteKey>): void;
}
