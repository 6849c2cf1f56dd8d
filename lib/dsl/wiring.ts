import type { Serde } from '../serde/serde.js';
import type { BranchedStream, KGroupedStream, KGroupedTable, KStream, KTable } from './streams.js';
import type { GraphNode, StreamsGraph } from './streams-graph.js';
import type { TableView } from './table-view.js';

/** What a stream is made of. */
export interface StreamParts<K, V> {
  readonly node: GraphNode;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  /** Whether the key may have changed since the records were partitioned by it. */
  readonly keyChanged: boolean;
}

/** What a table is made of. */
export interface TableParts<K, V> {
  readonly node: GraphNode;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  readonly queryableStoreName: string | null;
  /** Whether updates that come late are known as such: the table, or what it is made of, keeps its history. Kafka: `isOutputVersioned`. */
  readonly isVersioned?: boolean;
  /**
   * Asks for the row before with each update. Kafka: `enableSendingOldValues`.
   *
   * @param force keep the table in a store if it takes that
   * @returns whether old values will come
   */
  sendOldValues(force: boolean): boolean;
  /** How its rows are looked up: asks the table's source to be kept if nothing nearer is. Kafka: `valueGetterSupplier`. */
  view(): TableView<K, V>;
}

/** A stream after `groupByKey` or `groupBy`. */
export interface GroupedStreamParts<K, V> extends StreamParts<K, V> {
  /** The user's name of the repartition topic. */
  readonly name: string | undefined;
}

/** A table after `groupBy`. */
export interface GroupedTableParts<K, V> {
  readonly node: GraphNode;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  readonly name: string | undefined;
}

/** A stream after `split`. */
export interface BranchedParts<K, V> extends StreamParts<K, V> {
  readonly name: string | undefined;
}

/** Makes what operators return; each kind of stream knows the others by this alone. */
export interface Wiring {
  readonly graph: StreamsGraph;
  stream<K, V>(parts: StreamParts<K, V>): KStream<K, V>;
  table<K, V>(parts: TableParts<K, V>): KTable<K, V>;
  groupedStream<K, V>(parts: GroupedStreamParts<K, V>): KGroupedStream<K, V>;
  groupedTable<K, V>(parts: GroupedTableParts<K, V>): KGroupedTable<K, V>;
  branched<K, V>(parts: BranchedParts<K, V>): BranchedStream<K, V>;
}
