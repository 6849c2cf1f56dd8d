import type { ProcessorSupplier } from '../processor/processor.js';
import type { Serde } from '../serde/serde.js';
import type { StoreSpec } from '../topology/store-spec.js';
import type { Change } from './change.js';
import { materialize, rowFormat } from './materialize.js';
import type { AggregateNode } from './operators/aggregate-processor.js';
import { expiring } from './operators/expire-rows.js';
import type { AggregateOptions, ExpiringOptions } from './options.js';
import type { KTable } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import { storeView, type TableView } from './table-view.js';
import type { Wiring } from './wiring.js';

/** An aggregation before it is part of the graph. */
export interface Aggregation<K, V, A> {
  readonly name: string;
  readonly parent: GraphNode;
  /** Name of the store, the user's or a generated one. */
  readonly store: string;
  readonly key: Serde<K>;
  readonly value: Serde<A>;
  readonly options: AggregateOptions & ExpiringOptions;
  /** As {@link GraphNode} has it. */
  readonly forgetsSources?: boolean;
  /** Makes the node's processors; called when the topology is built. */
  readonly supplier: (node: AggregateNode<K, A>) => ProcessorSupplier<K, V, K, Change<A>>;
}

/** The table of an aggregation: its node with its store, queryable if the user named it. */
export function aggregatedTable<K, V, A>(wiring: Wiring, aggregation: Aggregation<K, V, A>): KTable<K, A> {
  const { name, parent, store, key, value, options, supplier, forgetsSources = false } = aggregation;
  const spec = materialize(store, key, value, options);
  const kept = {
    name,
    parent,
    spec,
    storeKey: key,
    key,
    value,
    isQueryable: options.store !== undefined,
    forgetsSources,
  };
  return keptTable(wiring, { ...kept, supplier: (node) => expiring(spec.ttlMs, node, supplier(node)) });
}

/** A table that an operator keeps in a store of its own. */
export interface KeptTable<KIn, V, K, A> {
  readonly name: string;
  readonly parent: GraphNode;
  readonly spec: StoreSpec;
  /** Serde of the store's whole keys. */
  readonly storeKey: Serde<K>;
  /** Serde of the table's keys in topics. */
  readonly key: Serde<K>;
  readonly value: Serde<A>;
  readonly isQueryable: boolean;
  readonly forgetsSources?: boolean;
  /** How long after its end a window may still change; absent: there are no windows. */
  readonly windowGraceMs?: number;
  /** How its rows are looked up; absent: as they are in the store. */
  readonly view?: TableView<K, A>;
  readonly supplier: (node: AggregateNode<K, A>) => ProcessorSupplier<KIn, V, K, Change<A>>;
}

export function keptTable<KIn, V, K, A>(wiring: Wiring, table: KeptTable<KIn, V, K, A>): KTable<K, A> {
  const { name, parent, spec, storeKey, key, value, windowGraceMs, forgetsSources = false, supplier } = table;
  const format = rowFormat(spec, storeKey, value);
  let sendOldValues = false;
  const node = wiring.graph.add({
    name,
    parents: [parent],
    forgetsSources,
    ...(windowGraceMs === undefined ? {} : { windowGraceMs }),
    write(builder, parents) {
      const processors = supplier({ format, cached: spec.cached, sendOldValues });
      builder.addProcessor(name, processors, { parents }).addStateStore(spec, name);
    },
  });
  return wiring.table({
    node,
    key,
    value,
    queryableStoreName: table.isQueryable ? spec.name : null,
    isVersioned: format.historyRetentionMs !== undefined,
    sendOldValues() {
      sendOldValues = true;
      return true;
    },
    view: () => table.view ?? storeView(format),
  });
}
