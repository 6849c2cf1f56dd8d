/** Options of the operators. All are plain objects; each operator's docstring says what it does with them. */
import type { Duration } from '../model/duration.js';
import type { Serde } from '../serde/serde.js';
import type { StreamPartitioner, TimestampExtractor } from '../topology/node.js';
import type { OffsetReset } from '../topology/offset-reset.js';

export interface NamedOptions {
  /** Name of the operator's node; generated and numbered as in Kafka Streams by default. Kafka: `Named`. */
  readonly name?: string;
}

/** Serde of a key whose type stays within the one before: may be left out. */
export interface SameKeyOptions<K> {
  readonly key?: Serde<K>;
}
/** Serde of a key whose type changes. */
export interface NewKeyOptions<K> {
  readonly key: Serde<K>;
}
/** Serde of a value whose type stays within the one before: may be left out. */
export interface SameValueOptions<V> {
  readonly value?: Serde<V>;
}
/** Serde of a value whose type changes. */
export interface NewValueOptions<V> {
  readonly value: Serde<V>;
}

/** Kafka: `Consumed`. */
export interface StreamOptions<K, V> extends NamedOptions {
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  /** Default: the application's (`defineApp({ timestampExtractor })`), else the setting `defaultTimestampExtractor`. */
  readonly timestampExtractor?: TimestampExtractor;
  /** Where to start without committed offsets; default: the setting `autoOffsetReset`. */
  readonly offsetReset?: OffsetReset;
}

/** How an operator keeps its table. Kafka: `Materialized`. */
export interface StoreOptions {
  /** Name of the store: makes it queryable, and names its changelog `<applicationId>-<store>-changelog`. */
  readonly store?: string;
  /** Accepted for the sake of Kafka's vocabulary (every store's image is in memory); of windows it decides in which order they are listed. */
  readonly inMemory?: boolean;
  /** Whether the store has a changelog topic; default true. */
  readonly logged?: boolean;
  /** Whether updates may be held back so that only the last of a commit goes downstream; default true. */
  readonly cached?: boolean;
  /**
   * Keeps the table's history for this long after a row was superseded, by the store's own stream time; needs `store`. Joins of streams
   * then see the row of their record's time, and updates that come late change no newer row (KIP-889, KIP-914). Such a store is never
   * cached. Kafka: `Materialized.as(Stores.persistentVersionedKeyValueStore(…))`.
   */
  readonly historyRetention?: Duration;
  /** Overrides of the changelog topic's settings, by Kafka's names. */
  readonly changelogConfig?: Readonly<Record<string, string>>;
}

/** A table whose rows end by themselves. */
export interface ExpiringOptions {
  /**
   * How long after its timestamp a row ends, by the task's stream time; default: it stays until it is deleted. It is deleted for all that
   * is made of the table, too. Such a table is kept, has a changelog of its own, and is never cached; not together with
   * `historyRetention`.
   */
  readonly ttl?: Duration;
}

export interface TableOptions<K, V> extends StreamOptions<K, V>, StoreOptions, ExpiringOptions {}

export interface AggregateOptions extends NamedOptions, StoreOptions {}

/** How a windowed aggregation keeps its table. */
export interface WindowedOptions extends NamedOptions, Omit<StoreOptions, 'historyRetention' | 'inMemory'> {
  /**
   * How long windows are kept after their start, sessions after their end, by stream time: at least the size (for sliding windows
   * twice the difference, for sessions the gap) and the grace, which is the default. Kafka: `Materialized.withRetention`.
   */
  readonly retention?: Duration;
  /** Whether windows of several keys are listed as Kafka's in-memory stores list them, by time and then key; default false. */
  readonly inMemory?: boolean;
}

/** How a suppression keeps what it holds back: it is a store with a changelog, `<name>-store`. Kafka: `Suppressed.withName`. */
export interface SuppressOptions extends NamedOptions, Pick<StoreOptions, 'logged' | 'changelogConfig'> {}

/** How an operator calls a function that waits for something outside. */
export interface AsyncOptions extends NamedOptions {
  /** Calls that may run at once, of different keys; 1 to 1,000; default 16. */
  readonly concurrency?: number;
  /** How long one attempt may take, by the host's clock; default `'30s'`. The commit waits for it. */
  readonly timeout?: Duration;
  /** Attempts after the first that failed, 0 to 100; default 0. They wait 100 ms, then twice as long each time, 10 s at most. */
  readonly retries?: number;
}

/** What a function that waits is given besides its record. */
export interface AsyncCall {
  /** Fires when nobody waits for the attempt any more: it has timed out, or the task has ended. */
  readonly signal: AbortSignal;
}

/** Kafka: `Grouped`. The name also names the repartition topic, if one is needed. */
export interface GroupOptions<K, V> extends NamedOptions, SameKeyOptions<K>, SameValueOptions<V> {}

/** Kafka: `Repartitioned`. */
export interface RepartitionOptions<K, V> extends GroupOptions<K, V> {
  /** Default: the greatest count among the topics upstream. */
  readonly partitions?: number;
  readonly partitioner?: StreamPartitioner;
}

/** Kafka: `Produced`. */
export interface ToOptions<K, V> extends GroupOptions<K, V> {
  readonly partitioner?: StreamPartitioner;
}

export interface ProcessOptions extends NamedOptions {
  /** Names of stores, added with `addStateStore`, that the processor may ask for. */
  readonly stores?: readonly string[];
}

/** Whether anything is said about the store. Kafka: whether a `Materialized` was given. */
export function isMaterialized(options: StoreOptions & { readonly retention?: Duration }): boolean {
  const { store, inMemory, logged, cached, historyRetention, changelogConfig, retention } = options;
  const said = [store, inMemory, logged, cached, historyRetention, changelogConfig, retention];
  return said.some((option) => option !== undefined);
}
