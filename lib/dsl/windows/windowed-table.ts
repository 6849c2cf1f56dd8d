/** From a grouping and its windows to a table: names, store and node. Kafka: `GroupedStreamAggregateBuilder` of windowed streams. */
import type { Windowed } from '../../model/windowed.js';
import type { ProcessorSupplier } from '../../processor/processor.js';
import type { Serde } from '../../serde/serde.js';
import type { StoreSpec } from '../../topology/store-spec.js';
import { keptTable } from '../aggregated-table.js';
import type { Change } from '../change.js';
import type { WindowedNode } from '../operators/window-rows.js';
import type { WindowedOptions } from '../options.js';
import type { KTable } from '../streams.js';
import type { GraphNode } from '../streams-graph.js';
import type { Wiring } from '../wiring.js';
import { foundMs, type WindowedStore } from './materialize-windows.js';
import { windowedView } from './windowed-view.js';
import type { Windowing } from './windowing.js';
import type { EmitStrategy } from './windows.js';

/** Grouped records on their way to an aggregation. */
export interface Grouping<K, V> {
  readonly wiring: Wiring;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  /** What was grouped. */
  readonly from: GraphNode;
  /** The node whose records are partitioned by the key, given the store's name: a repartition topic may take it. */
  parentFor(store: string): GraphNode;
  /**
   * Where a cogroup reads, which shares no repartition topic with other aggregations.
   *
   * @param again what was answered to the same cogroup before: its topic is read again, though names are counted
   */
  cogroupParentFor(store: string, again: GraphNode | undefined): GraphNode;
}

/** A windowed aggregation before it is part of the graph. */
export interface WindowedAggregation<K, V, A> {
  readonly prefix: string;
  readonly options: WindowedOptions;
  readonly value: Serde<A>;
  readonly emit: EmitStrategy;
  readonly windowing: Windowing<K>;
  materialize(store: WindowedStore<K, A>): StoreSpec;
  supplier(node: WindowedNode<K, A>): ProcessorSupplier<K, V, Windowed<K>, Change<A>>;
}

export function windowedTable<K, V, A>(
  { wiring, key, parentFor }: Grouping<K, V>,
  aggregation: WindowedAggregation<K, V, A>,
): KTable<Windowed<K>, A> {
  const { prefix, options, value, emit, windowing, supplier } = aggregation;
  const { names } = wiring.graph;
  const store = options.store ?? names.store(prefix);
  const name = names.orGenerated(options.name, prefix);
  const { storeKey, tableKey, waitMs, leastRetentionMs } = windowing;
  const spec = aggregation.materialize({ name: store, key, value, options, emit, leastRetentionMs });
  const isSession = spec.kind === 'session';
  const retentionMs = foundMs({ emit, options, isSession }, spec.retentionMs ?? leastRetentionMs);
  return keptTable(wiring, {
    name,
    parent: parentFor(store),
    spec,
    storeKey,
    key: tableKey,
    value,
    isQueryable: options.store !== undefined,
    windowGraceMs: waitMs,
    view: windowedView({ store, key: storeKey, value }, { retentionMs, isSession }),
    supplier: (node) => supplier({ ...node, ...windowing, retentionMs, key, emit, closeName: closeName(store, emit) }),
  });
}

/**
 * The name under which an operator commits the time up to which its windows are closed. Kafka Streams commits it, under the store's
 * name, where final results are given: there either system goes on where the other stopped.
 */
export function closeName(store: string, emit: EmitStrategy): string {
  return emit === 'onWindowClose' ? store : `millrace.closed.${store}`;
}
