/** From several groupings to one table: a node for each, which share a store, and one where they meet. Kafka: `CogroupedStreamAggregateBuilder`. */
import type { Awaitable } from '../model/awaitable.js';
import type { ProcessorSupplier } from '../processor/processor.js';
import type { Serde } from '../serde/serde.js';
import type { StoreSpec } from '../topology/store-spec.js';
import type { Change } from './change.js';
import { PREFIX } from './names.js';
import type { AggregateNode } from './operators/aggregate-processor.js';
import { mergeChanges } from './operators/merge-changes.js';
import type { AggregateOptions } from './options.js';
import type { KTable } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import { storeView, type TableView } from './table-view.js';
import type { Grouping } from './windows/windowed-table.js';
import type { Wiring } from './wiring.js';

/** Adds a value of one of the groupings to the aggregate. */
export type AddToCogroup<K, A> = (key: K, value: never, aggregate: A) => Awaitable<A | null>;

/** Grouped streams of one key, and how values of each are added; in the order in which they were given. */
export type Cogroup<K, A> = ReadonlyMap<Grouping<K, never>, AddToCogroup<K, A>>;

/** An aggregation of several groupings before it is part of the graph. `KR` is the table's key, windowed or not. */
export interface CogroupAggregation<K, KR, A> {
  readonly wiring: Wiring;
  readonly cogroup: Cogroup<K, A>;
  /** Where the groupings begin, once made: all tables of one cogroup read the same repartition topics, as in Kafka Streams. */
  readonly parents: Map<Grouping<K, never>, GraphNode>;
  readonly options: AggregateOptions;
  readonly spec: StoreSpec;
  readonly storeKey: Serde<KR>;
  readonly tableKey: Serde<KR>;
  readonly value: Serde<A>;
  readonly windowGraceMs?: number;
  readonly view?: TableView<KR, A>;
  /** Makes the processors of one grouping's node; `index` counts them. */
  supplier(
    node: AggregateNode<KR, A>,
    add: AddToCogroup<K, A>,
    index: number,
  ): ProcessorSupplier<K, never, KR, Change<A>>;
}

export function cogroupedTable<K, KR, A>(aggregation: CogroupAggregation<K, KR, A>): KTable<KR, A> {
  const { wiring, cogroup, parents, options, spec, storeKey, tableKey: key, value, windowGraceMs } = aggregation;
  const { graph } = wiring;
  const format = { store: spec.name, key: storeKey, value };
  const cached = spec.cached ? 'downstream' : false;
  const groups = [...cogroup].map(([grouping, add]) => {
    const parent = grouping.cogroupParentFor(spec.name, parents.get(grouping));
    parents.set(grouping, parent);
    return { add, parent };
  });
  const aggregates = groups.map(({ add, parent }, index): GraphNode => {
    const name = graph.names.suffixedOrGenerated(options.name, `-cogroup-agg-${index}`, PREFIX.cogroupAggregate);
    return graph.add({
      name,
      parents: [parent],
      ...(windowGraceMs === undefined ? {} : { windowGraceMs }),
      write(builder, parents) {
        const processors = aggregation.supplier({ format, cached, sendOldValues: true }, add, index);
        builder.addProcessor(name, processors, { parents }).addStateStore(spec, name);
      },
    });
  });
  let sendOldValues = false;
  const name = graph.names.suffixedOrGenerated(options.name, '-cogroup-merge', PREFIX.cogroupMerge);
  const node = graph.add({
    name,
    parents: aggregates,
    copartitions: true,
    forgetsSources: true,
    copartitioned: [...cogroup.keys()].map(({ from }) => from),
    write(builder, parents) {
      builder.addProcessor(name, mergeChanges({ format, cached: spec.cached, sendOldValues }), { parents });
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
    view: () => aggregation.view ?? storeView(format),
  });
}
