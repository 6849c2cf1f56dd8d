import type { Awaitable } from '../model/awaitable.js';
import { long } from '../serde/number-serdes.js';
import type { Serde } from '../serde/serde.js';
import { aggregatedTable } from './aggregated-table.js';
import { CogroupedStream } from './cogrouped-stream.js';
import { PREFIX } from './names.js';
import { checkOptions, GROUPED_STREAM } from './operator-options.js';
import type { AggregateNode, RowFold } from './operators/aggregate-processor.js';
import { aggregateFold, countFold, reduceFold, streamAggregate } from './operators/stream-aggregate.js';
import { type AggregateOptions, type ExpiringOptions, isMaterialized } from './options.js';
import { mergeableRepartitionNode, repartitionNames } from './repartition.js';
import { SessionWindowedStream } from './session-windowed-stream.js';
import type { CogroupedKStream, KGroupedStream, KTable } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import { TimeWindowedStream } from './time-windowed-stream.js';
import { userFunction } from './user-function.js';
import { expectWindows } from './windows/window-checks.js';
import type { Grouping } from './windows/windowed-table.js';
import type { SessionWindows, SlidingWindows, TimeWindows, UnlimitedWindows } from './windows/windows.js';
import type { GroupedStreamParts, Wiring } from './wiring.js';

type Reducer<V> = (aggregate: V, value: V) => Awaitable<V | null>;

/** The one kind of {@link KGroupedStream}. */
export class GroupedStream<K, V> implements KGroupedStream<K, V> {
  /** What windowed aggregations and cogroups go on from. */
  readonly grouping: Grouping<K, V>;
  private readonly wiring: Wiring;
  private readonly parts: GroupedStreamParts<K, V>;
  /** Shared by all aggregations of a group whose repartition topic the user named. */
  private shared: GraphNode | undefined;

  constructor(wiring: Wiring, parts: GroupedStreamParts<K, V>) {
    this.wiring = wiring;
    this.parts = parts;
    const { key, value, node } = parts;
    this.grouping = {
      wiring,
      key,
      value,
      from: node,
      parentFor: (store) => this.parentFor(store),
      cogroupParentFor: (store, again) => this.cogroupParentFor(store, again),
    };
  }

  count(options: AggregateOptions & ExpiringOptions = {}): KTable<K, number> {
    // Kafka Streams takes a number here, for the sake of topologies of old, if a Materialized without name is given.
    if (isMaterialized(options) && options.store === undefined) this.wiring.graph.names.store(PREFIX.streamAggregate);
    return this.fold(PREFIX.streamAggregate, options, long(), countFold);
  }

  reduce(
    reducer: (aggregate: NonNullable<V>, value: NonNullable<V>) => Awaitable<V | null>,
    options: AggregateOptions & ExpiringOptions = {},
  ): KTable<K, NonNullable<V>> {
    const fold = reduceFold(userFunction(reducer, 'reduce') as Reducer<V>) as RowFold<K, V, NonNullable<V>>;
    return this.fold(PREFIX.streamReduce, options, this.parts.value as Serde<NonNullable<V>>, fold);
  }

  aggregate<A>(
    options: AggregateOptions &
      ExpiringOptions & {
        readonly value: Serde<A>;
        init(): Awaitable<A>;
        add(key: K, value: NonNullable<V>, aggregate: A): Awaitable<A | null>;
      },
  ): KTable<K, A> {
    userFunction(options?.init, 'aggregate', 'function init');
    userFunction(options.add, 'aggregate', 'function add');
    const fold = aggregateFold<K, V, A>(
      () => options.init(),
      (key, value, aggregate) => options.add(key, value as NonNullable<V>, aggregate),
    );
    return this.fold(PREFIX.streamAggregate, options, options.value, fold);
  }

  cogroup<A>(add: (key: K, value: V, aggregate: A) => Awaitable<A | null>): CogroupedKStream<K, A> {
    const grouping = this.grouping as Grouping<K, never>;
    return new CogroupedStream(grouping, new Map([[grouping, userFunction(add, 'cogroup', 'function add')]]));
  }

  windowedBy(windows: TimeWindows | UnlimitedWindows | SlidingWindows | SessionWindows): never {
    const windowed =
      windows?.kind === 'session'
        ? new SessionWindowedStream(this.grouping, windows)
        : new TimeWindowedStream(this.grouping, expectWindows(windows));
    return windowed as never;
  }

  private fold<A>(
    prefix: string,
    options: AggregateOptions & ExpiringOptions,
    value: Serde<A>,
    fold: RowFold<K, V, A>,
  ): KTable<K, A> {
    const { graph } = this.wiring;
    const { key } = this.parts;
    const store = options.store ?? graph.names.store(prefix);
    const name = graph.names.orGenerated(options.name, prefix);
    const parent = this.parentFor(store);
    const supplier = (aggregate: AggregateNode<K, A>) => streamAggregate(aggregate, fold);
    return aggregatedTable(this.wiring, { name, parent, store, key, value, options, supplier });
  }

  private parentFor(store: string): GraphNode {
    return this.parts.keyChanged ? this.repartitioned(store) : this.parts.node;
  }

  private cogroupParentFor(store: string, again: GraphNode | undefined): GraphNode {
    const { name = store, node, key, value, keyChanged } = this.parts;
    if (!keyChanged) return node;
    const { graph } = this.wiring;
    const names = repartitionNames(graph, name);
    return again ?? graph.add(mergeableRepartitionNode(node, names, { name, key, value }));
  }

  private repartitioned(store: string): GraphNode {
    const { graph } = this.wiring;
    const { name = store, node, key, value } = this.parts;
    const names = repartitionNames(graph, name);
    if (this.shared === undefined || this.parts.name === undefined) {
      this.shared = mergeableRepartitionNode(node, names, { name, key, value });
    }
    return graph.add(this.shared);
  }
}

checkOptions(GroupedStream, GROUPED_STREAM);
