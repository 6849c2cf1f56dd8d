import type { ProcessorSupplier } from '../processor/processor.js';
import type { Serde } from '../serde/serde.js';
import type { Change } from './change.js';
import { materialize } from './materialize.js';
import type { AggregateNode } from './operators/aggregate-processor.js';
import type { AggregateOptions } from './options.js';
import type { KTable } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import { storeView } from './table-view.js';
import type { Wiring } from './wiring.js';

/** An aggregation before it is part of the graph. */
export interface Aggregation<K, V, A> {
  readonly name: string;
  readonly parent: GraphNode;
  /** Name of the store, the user's or a generated one. */
  readonly store: string;
  readonly key: Serde<K>;
  readonly value: Serde<A>;
  readonly options: AggregateOptions;
  /** Makes the node's processors; called when the topology is built. */
  readonly supplier: (node: AggregateNode<K, A>) => ProcessorSupplier<K, V, K, Change<A>>;
}

/** The table of an aggregation: its node with its store, queryable if the user named it. */
export function aggregatedTable<K, V, A>(wiring: Wiring, aggregation: Aggregation<K, V, A>): KTable<K, A> {
  const { name, parent, store, key, value, options, supplier } = aggregation;
  const spec = materialize(store, key, value, options);
  const format = { store, key, value };
  let sendOldValues = false;
  const node = wiring.graph.add({
    name,
    parents: [parent],
    write(builder, parents) {
      const processors = supplier({ format, cached: spec.cached, sendOldValues });
      builder.addProcessor(name, processors, { parents }).addStateStore(spec, name);
    },
  });
  return wiring.table({
    node,
    key,
    value,
    queryableStoreName: options.store ?? null,
    sendOldValues() {
      sendOldValues = true;
      return true;
    },
    view: () => storeView(format),
  });
}
