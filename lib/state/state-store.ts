import type { Awaitable } from '../model/awaitable.js';
import type { Windowed } from '../model/windowed.js';

/** What every store has. Kafka: `StateStore`; flushing, committing and restoring are the engine's and not visible here. */
export interface StateStore {
  readonly name: string;
}

/** One entry of a key-value store. Kafka: `KeyValue`. */
export interface KeyValue<K, V> {
  readonly key: K;
  readonly value: V;
}

/** A value with the timestamp of the record that made it. Kafka: `ValueAndTimestamp`. */
export interface ValueAndTimestamp<V> {
  readonly value: V;
  readonly timestampMs: number;
}

/**
 * Entries in order of their key bytes, compared as unsigned; iterate with `for await`.
 *
 * A store may be written while it is read: seen are the entries that were there when the read was asked for, each as it is when the iterator
 * comes to it, so that what is put ahead of it is not visited, and what is deleted is not either. Kafka's in-memory and cached stores do
 * the same; RocksDB without a cache shows the old values too. Of windows of several keys what comes into a segment of time is seen until the
 * iterator comes to that segment, as there. An iterator is good until its task is closed: then it throws STREAMS_INVALID_STATE_STORE.
 */
export type Entries<K, V> = AsyncIterable<KeyValue<K, V>>;

/**
 * Reads of a key-value store. Kafka: `ReadOnlyKeyValueStore`. Order is by key bytes, unsigned.
 *
 * Reads may return promises (a store may be larger than memory): write `await`, it costs nothing where the value is there.
 */
export interface ReadOnlyKeyValueStore<K, V> extends StateStore {
  /** The value, or null. */
  get(key: K): Awaitable<V | null>;
  /** Entries with from ≤ key ≤ to (both inclusive, as in Kafka); an absent end is open. */
  range(from?: K | null, to?: K | null): Entries<K, V>;
  /** As `range`, from the greatest key down. */
  reverseRange(from?: K | null, to?: K | null): Entries<K, V>;
  /** Entries whose key bytes start with the bytes of `prefix`. */
  prefixScan<P>(prefix: P, prefixSerde: { serialize(value: P): Uint8Array }): Entries<K, V>;
  all(): Entries<K, V>;
  reverseAll(): Entries<K, V>;
  /** Kafka: `approximateNumEntries`; exact here, but of a store that lies in its snapshot (`storeMode`): at most so many. */
  approximateNumEntries(): number;
}

/** Kafka: `KeyValueStore`. A value of null deletes. */
export interface KeyValueStore<K, V> extends ReadOnlyKeyValueStore<K, V> {
  put(key: K, value: V | null): Awaitable<void>;
  /** Puts if the key is absent; answers what was there before, or null. */
  putIfAbsent(key: K, value: V | null): Awaitable<V | null>;
  putAll(entries: Iterable<KeyValue<K, V | null>>): Awaitable<void>;
  /** Answers what was there, or null. */
  delete(key: K): Awaitable<V | null>;
}

/** Kafka: `TimestampedKeyValueStore`. */
export interface TimestampedKeyValueStore<K, V> extends KeyValueStore<K, ValueAndTimestamp<V>> {}

/** A value of one key in the window that begins at `startMs`. */
export interface WindowValue<V> {
  readonly startMs: number;
  readonly value: V;
}

/**
 * Reads of a window store. Kafka: `ReadOnlyWindowStore`. Times are milliseconds since the epoch and both ends are inclusive.
 *
 * A window can be read while its start is after the store's stream time (the greatest start written so far) less the retention.
 * Entries of one key come in order of time. Those of several keys come in segments of half the retention (a minute at least),
 * in each by key and then time, as Kafka's RocksDB stores list them; by time and then key where the store is `inMemory`.
 * `backward…` is the exact reverse.
 */
export interface ReadOnlyWindowStore<K, V> extends StateStore {
  /** The value of the window that begins at `startMs`, or null. Of duplicates there is none: fetch a range. */
  fetch(key: K, startMs: number): Awaitable<V | null>;
  /** Values of one key in windows that begin from `fromMs` to `toMs`. */
  fetch(key: K, fromMs: number, toMs: number): AsyncIterable<WindowValue<V>>;
  backwardFetch(key: K, fromMs: number, toMs: number): AsyncIterable<WindowValue<V>>;
  /** Kafka: `fetch(keyFrom, keyTo, …)`. Keys from ≤ key ≤ to by their bytes; null is open. */
  fetchRange(from: K | null, to: K | null, fromMs: number, toMs: number): Entries<Windowed<K>, V>;
  backwardFetchRange(from: K | null, to: K | null, fromMs: number, toMs: number): Entries<Windowed<K>, V>;
  /** All keys in windows that begin from `fromMs` to `toMs`. */
  fetchAll(fromMs: number, toMs: number): Entries<Windowed<K>, V>;
  backwardFetchAll(fromMs: number, toMs: number): Entries<Windowed<K>, V>;
  all(): Entries<Windowed<K>, V>;
  backwardAll(): Entries<Windowed<K>, V>;
}

/** Kafka: `WindowStore`. */
export interface WindowStore<K, V> extends ReadOnlyWindowStore<K, V> {
  /**
   * Puts into the window that begins at `startMs`; a value of null deletes (nothing, where duplicates are kept). A window past the
   * retention is not stored, and counted as dropped.
   *
   * @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE if the start is no whole number from 0
   */
  put(key: K, value: V | null, startMs: number): Awaitable<void>;
}

/**
 * Reads of a session store. Kafka: `ReadOnlySessionStore`. Times are milliseconds since the epoch and both ends are inclusive.
 *
 * A session can be read while its end is after the store's stream time (the greatest end written so far) less the retention. Order
 * is as in window stores, by end and then start.
 */
export interface ReadOnlySessionStore<K, V> extends StateStore {
  fetchSession(key: K, startMs: number, endMs: number): Awaitable<V | null>;
  /** All sessions of a key. */
  fetch(key: K): Entries<Windowed<K>, V>;
  backwardFetch(key: K): Entries<Windowed<K>, V>;
  /** Kafka: `fetch(keyFrom, keyTo)`. Keys from ≤ key ≤ to by their bytes; null is open. */
  fetchRange(from: K | null, to: K | null): Entries<Windowed<K>, V>;
  backwardFetchRange(from: K | null, to: K | null): Entries<Windowed<K>, V>;
  /** Sessions of a key that end at `earliestEndMs` or later and begin at `latestStartMs` or earlier. */
  findSessions(key: K, earliestEndMs: number, latestStartMs: number): Entries<Windowed<K>, V>;
  backwardFindSessions(key: K, earliestEndMs: number, latestStartMs: number): Entries<Windowed<K>, V>;
  /** Kafka: `findSessions(keyFrom, keyTo, …)`. As `findSessions`, of keys from ≤ key ≤ to by their bytes; null is open. */
  findSessionsRange(
    from: K | null,
    to: K | null,
    earliestEndMs: number,
    latestStartMs: number,
  ): Entries<Windowed<K>, V>;
  backwardFindSessionsRange(
    from: K | null,
    to: K | null,
    earliestEndMs: number,
    latestStartMs: number,
  ): Entries<Windowed<K>, V>;
  /** Kafka: `findSessions(earliestSessionEndTime, latestSessionEndTime)`. Sessions of all keys that end within these times. */
  findSessionsByEnd(earliestEndMs: number, latestEndMs: number): Entries<Windowed<K>, V>;
}

/** Kafka: `SessionStore`. */
export interface SessionStore<K, V> extends ReadOnlySessionStore<K, V> {
  /**
   * A value of null deletes. A session past the retention is not stored, and counted as dropped.
   *
   * @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE if an end is no whole number from 0, or before the start
   */
  put(session: Windowed<K>, value: V | null): Awaitable<void>;
  remove(session: Windowed<K>): Awaitable<void>;
}

/** A value with the time from which it is valid. Kafka: `VersionedRecord`. */
export interface VersionedRecord<V> extends ValueAndTimestamp<V> {}

/** What became of a version. Kafka: the result of `VersionedKeyValueStore.put` with its two special values. */
export interface VersionPut {
  /** False if the version was older than the history retention: then it is not stored, and counted as dropped. */
  readonly isPut: boolean;
  /** When the next version takes over (exclusive), or null if this is the newest. */
  readonly validToMs: number | null;
}

/**
 * Values with their history. Kafka: `VersionedKeyValueStore`. Times are milliseconds since the epoch.
 *
 * A version is valid from its timestamp (inclusive) to the next version's (exclusive). The newest version of a key stays for ever,
 * older ones for the history retention after they were superseded, by the store's stream time (the greatest timestamp written).
 */
export interface VersionedKeyValueStore<K, V> extends StateStore {
  /**
   * Puts a version, in whatever order; a value of null says that there is none from then on.
   *
   * @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE if the timestamp is no whole number from 0
   */
  put(key: K, value: V | null, timestampMs: number): Awaitable<VersionPut>;
  /** As `put` of null; answers the version that was valid at that time, or null. */
  delete(key: K, timestampMs: number): Awaitable<VersionedRecord<V> | null>;
  /** The newest version, or null if there is none or it is a delete. */
  get(key: K): Awaitable<VersionedRecord<V> | null>;
  /** The version that was valid at `asOfMs`, or null if there was none, or if it is past the history retention and not the newest. */
  get(key: K, asOfMs: number): Awaitable<VersionedRecord<V> | null>;
}
