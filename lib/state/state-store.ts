import type { Awaitable } from '../model/awaitable.js';

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

/** Entries in order of their key bytes, compared as unsigned; iterate with `for await` (or `for` when it is an array). */
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
  /** Kafka: `approximateNumEntries`; exact here. */
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
