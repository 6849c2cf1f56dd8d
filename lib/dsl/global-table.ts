/** Tables and stores that every member holds whole. Kafka: `GlobalKTable`, `addGlobalStore`. */
import type { ProcessorSupplier } from '../processor/processor.js';
import type { StoreSpec } from '../topology/store-spec.js';
import { timestampedKeyValueStore } from '../topology/stores.js';
import { expectSerdes } from './expect-serdes.js';
import type { GlobalKTable, GlobalStoreOptions, GlobalTableOptions, GlobalTableParts } from './global-ktable.js';
import { joinable } from './joinable.js';
import { PREFIX } from './names.js';
import { tableSource } from './operators/table-source.js';
import type { StreamsGraph } from './streams-graph.js';
import { storeView } from './table-view.js';
import { userFunction } from './user-function.js';

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY */
export function globalTable<K, V>(
  graph: StreamsGraph,
  topic: string,
  options: GlobalTableOptions<K, V>,
): GlobalKTable<K, V> {
  expectSerdes(topic, options);
  const { key, value, store: named } = options;
  const store = named ?? graph.names.store(`${topic}-`);
  const spec = timestampedKeyValueStore({ name: store, key, value, logged: false });
  const format = { store, key, value };
  addGlobal(graph, { spec, topic, options, supplier: tableSource({ format, cached: false, sendOldValues: false }) });
  const table: GlobalKTable<K, V> = { queryableStoreName: named ?? null, keySerde: key, valueSerde: value };
  const parts: GlobalTableParts<K, V> = { key, view: storeView(format) };
  return joinable(table, { kind: 'globalTable', graph, parts: parts as never });
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY */
export function globalStore<K, V>(
  graph: StreamsGraph,
  topic: string,
  given: {
    readonly store: StoreSpec;
    readonly options: GlobalStoreOptions<K, V>;
    readonly supplier: ProcessorSupplier<K, V>;
  },
): void {
  const { store, options } = given;
  expectSerdes(topic, options);
  const supplier = userFunction(given.supplier, 'addGlobalStore', 'function that makes its processor');
  addGlobal(graph, { spec: Object.freeze({ ...store, logged: false }), topic, options, supplier });
}

/** The user's name is the processor's; a stream's or table's would be the source's. Kafka: `InternalStreamsBuilder.globalTable`. */
function addGlobal<KIn, VIn, KOut, VOut>(
  graph: StreamsGraph,
  global: {
    readonly spec: StoreSpec;
    readonly topic: string;
    readonly options: GlobalStoreOptions<KIn, VIn>;
    readonly supplier: ProcessorSupplier<KIn, VIn, KOut, VOut>;
  },
): void {
  const { names } = graph;
  const { spec, topic, options, supplier } = global;
  const { name, key, value } = options;
  const source = names.suffixedOrGenerated(name, '-source', PREFIX.source);
  const processor = names.orGenerated(name, PREFIX.tableSource);
  graph.add({
    name: processor,
    parents: [],
    write(builder) {
      builder.addGlobalStore(spec, { topic, source, processor, key, value }, supplier as ProcessorSupplier<KIn, VIn>);
    },
  });
}
