import type { Serde } from '../serde/serde.js';
import type { TopologyBuilder } from '../topology/topology-builder.js';
import { expectHistoryIsKept, materialize, rowFormat } from './materialize.js';
import { expiring } from './operators/expire-rows.js';
import { tableSource } from './operators/table-source.js';
import type { ExpiringOptions, StoreOptions } from './options.js';
import type { KTable } from './streams.js';
import type { GraphNode, WriteContext } from './streams-graph.js';
import { storeView } from './table-view.js';
import type { Wiring } from './wiring.js';

/** A table of the latest record by key, before it is part of the graph. */
export interface LatestByKey<K, V> {
  readonly name: string;
  readonly parents: readonly GraphNode[];
  /** What comes before the table's node where that is a source of its own: its name, how it is added, and what comes after. */
  readonly reads?: {
    readonly source: string;
    addSource(builder: TopologyBuilder): void;
    afterStore(builder: TopologyBuilder, context: WriteContext): void;
  };
  /** Name of the store, the user's or a generated one. */
  readonly store: string;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  readonly options: StoreOptions & ExpiringOptions;
}

/** The table: kept if the user named its store, or if something after it looks rows up or asks for them as they were. Kafka: `KTableSource`. */
export function keptOnDemand<K, V>(wiring: Wiring, table: LatestByKey<K, V>): KTable<K, V> {
  const { name, parents, reads, store, key, value, options } = table;
  expectHistoryIsKept(options, name);
  const spec = materialize(store, key, value, options);
  const format = rowFormat(spec, key, value);
  const state = { kept: options.store !== undefined || options.ttl !== undefined, sendOldValues: false };
  const node = wiring.graph.add({
    name,
    parents,
    ...(reads === undefined ? {} : { source: reads.source }),
    write(builder, above, context) {
      const { sendOldValues, kept } = state;
      reads?.addSource(builder);
      const processors = tableSource({ format: kept ? format : null, cached: kept && spec.cached, sendOldValues });
      const node = { format, sendOldValues };
      builder.addProcessor(name, expiring(spec.ttlMs, node, processors), {
        parents: reads === undefined ? above : reads.source,
      });
      if (!kept) return;
      builder.addStateStore(spec, name);
      reads?.afterStore(builder, context);
    },
  });
  return wiring.table({
    node,
    key,
    value,
    queryableStoreName: options.store ?? null,
    isVersioned: format.historyRetentionMs !== undefined,
    sendOldValues(force) {
      if (!force && !state.kept) return false;
      state.kept = true;
      state.sendOldValues = true;
      return true;
    },
    view() {
      state.kept = true;
      return storeView(format);
    },
  });
}
