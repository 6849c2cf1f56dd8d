import type { Awaitable } from '../model/awaitable.js';
import { long } from '../serde/number-serdes.js';
import type { Serde } from '../serde/serde.js';
import { aggregatedTable } from './aggregated-table.js';
import { type Change, changeSerde } from './change.js';
import { PREFIX, repartitionTopicOf } from './names.js';
import { checkOptions, GROUPED_TABLE } from './operator-options.js';
import type { AggregateNode } from './operators/aggregate-processor.js';
import {
  countGroupFold,
  type GroupFold,
  groupFold,
  reduceGroupFold,
  tableAggregate,
} from './operators/table-aggregate.js';
import type { AggregateOptions } from './options.js';
import type { KGroupedTable, KTable } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import { userFunction } from './user-function.js';
import type { GroupedTableParts, Wiring } from './wiring.js';

/** The one kind of {@link KGroupedTable}. */
export class GroupedTable<K, V> implements KGroupedTable<K, V> {
  private readonly wiring: Wiring;
  private readonly parts: GroupedTableParts<K, V>;
  /** Shared by all aggregations of a group whose repartition topic the user named. */
  private shared: GraphNode | undefined;

  constructor(wiring: Wiring, parts: GroupedTableParts<K, V>) {
    this.wiring = wiring;
    this.parts = parts;
  }

  count(options: AggregateOptions = {}): KTable<K, number> {
    return this.fold(PREFIX.tableAggregate, options, long(), countGroupFold);
  }

  reduce(
    options: AggregateOptions & {
      add(aggregate: V, value: V): Awaitable<V | null>;
      subtract(aggregate: V, value: V): Awaitable<V | null>;
    },
  ): KTable<K, V> {
    for (const role of ['add', 'subtract'] as const) userFunction(options?.[role], 'reduce', `function ${role}`);
    return this.fold(PREFIX.tableReduce, options, this.parts.value, reduceGroupFold(options));
  }

  aggregate<A>(
    options: AggregateOptions & {
      readonly value: Serde<A>;
      init(): Awaitable<A>;
      add(key: K, value: V, aggregate: A): Awaitable<A | null>;
      subtract(key: K, value: V, aggregate: A): Awaitable<A | null>;
    },
  ): KTable<K, A> {
    for (const role of ['init', 'add', 'subtract'] as const)
      userFunction(options?.[role], 'aggregate', `function ${role}`);
    return this.fold(PREFIX.tableAggregate, options, options.value, groupFold(options));
  }

  private fold<A>(prefix: string, options: AggregateOptions, value: Serde<A>, fold: GroupFold<K, V, A>): KTable<K, A> {
    const { graph } = this.wiring;
    const { key } = this.parts;
    // Kafka Streams names the stores of reductions of tables so too.
    const store = options.store ?? graph.names.store(PREFIX.tableAggregate);
    const sink = graph.names.suffixedOrGenerated(options.name, '-sink', PREFIX.sink);
    const source = graph.names.suffixedOrGenerated(options.name, '-source', PREFIX.source);
    const name = graph.names.orGenerated(options.name, prefix);
    const parent = this.repartitioned(repartitionTopicOf(this.parts.name ?? store), sink, source);
    const supplier = (aggregate: AggregateNode<K, A>) => tableAggregate(aggregate, fold);
    // Kafka Streams names its source as if the topic were not shared, and so loses it.
    const forgetsSources = parent.name !== source;
    return aggregatedTable(this.wiring, { name, parent, store, key, value, options, supplier, forgetsSources });
  }

  private repartitioned(topic: string, sink: string, source: string): GraphNode {
    const { node, key } = this.parts;
    const value: Serde<Change<V>> = changeSerde(this.parts.value);
    if (this.shared === undefined || this.parts.name === undefined) {
      this.shared = {
        name: source,
        parents: [node],
        source,
        write(builder, parents) {
          builder
            .addRepartitionTopic(topic)
            .addSink(sink, topic, { parents, key, value })
            .addSource(source, topic, { key, value });
        },
      };
    }
    return this.wiring.graph.add(this.shared);
  }
}

checkOptions(GroupedTable, GROUPED_TABLE);
