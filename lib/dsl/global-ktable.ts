/** What a global table is, and what it is told. */
import type { Serde } from '../serde/serde.js';
import type { NamedOptions } from './options.js';
import type { TableView } from './table-view.js';

/** Kafka: `Consumed`; of a global topic all is read from its start, with the records' own timestamps. */
export interface GlobalStoreOptions<K, V> extends NamedOptions {
  readonly key: Serde<K>;
  readonly value: Serde<V>;
}

/** Kafka: `Consumed` and `Materialized`; the topic is the changelog, so there is none to be told about. */
export interface GlobalTableOptions<K, V> extends GlobalStoreOptions<K, V> {
  /**
   * Name of the store: processors read it by it, and it can be queried. To a processor it is a
   * `ReadOnlyKeyValueStore<K, ValueAndTimestamp<V>>`, as in Kafka Streams: a value with the time of its record.
   */
  readonly store?: string;
  /** Accepted for the sake of Kafka's vocabulary: every store's image is in memory. */
  readonly inMemory?: boolean;
}

/** A table that every member holds whole, to be joined with by any key and read by any processor. Kafka: `GlobalKTable`. */
export interface GlobalKTable<K, V> {
  /** Name under which the table can be read and queried; null if it has none. */
  readonly queryableStoreName: string | null;
  readonly keySerde: Serde<K>;
  readonly valueSerde: Serde<V>;
}

/** What a global table is made of. */
export interface GlobalTableParts<K, V> {
  readonly key: Serde<K>;
  readonly view: TableView<K, V>;
}
