import type { Awaitable } from '../model/awaitable.js';
import type { Windowed } from '../model/windowed.js';
import { long } from '../serde/number-serdes.js';
import type { Serde } from '../serde/serde.js';
import { clampTime } from '../state/packed-numbers.js';
import { PREFIX } from './names.js';
import { checkOptions, WINDOWED_STREAM } from './operator-options.js';
import type { RowFold } from './operators/aggregate-processor.js';
import { slidingAggregate } from './operators/sliding-aggregate.js';
import { aggregateFold, countFold, reduceFold } from './operators/stream-aggregate.js';
import { windowAggregate } from './operators/window-aggregate.js';
import { isMaterialized, type WindowedOptions } from './options.js';
import type { KTable, TimeWindowedKStream } from './streams.js';
import { userFunction } from './user-function.js';
import { materializeWindows } from './windows/materialize-windows.js';
import { expectStrategy } from './windows/window-checks.js';
import { type Grouping, type WindowedAggregation, windowedTable } from './windows/windowed-table.js';
import { fixedWindowing, slidingWindowing } from './windows/windowing.js';
import type { EmitStrategy, SlidingWindows, TimeWindows, UnlimitedWindows } from './windows/windows.js';

/** The one kind of {@link TimeWindowedKStream}. */
export class TimeWindowedStream<K, V> implements TimeWindowedKStream<K, V> {
  private readonly grouping: Grouping<K, V>;
  private readonly windows: TimeWindows | UnlimitedWindows | SlidingWindows;
  private readonly emit: EmitStrategy;

  constructor(
    grouping: Grouping<K, V>,
    windows: TimeWindows | UnlimitedWindows | SlidingWindows,
    emit: EmitStrategy = 'onWindowUpdate',
  ) {
    this.grouping = grouping;
    this.windows = windows;
    this.emit = emit;
  }

  emitStrategy(emit: EmitStrategy): TimeWindowedKStream<K, V> {
    return new TimeWindowedStream(this.grouping, this.windows, expectStrategy(emit, this.windows));
  }

  count(options: WindowedOptions = {}): KTable<Windowed<K>, number> {
    // Kafka Streams takes a number here, for the sake of topologies of old, if a Materialized without name is given; not for sliding
    // windows, which are younger.
    if (this.windows.kind !== 'sliding' && isMaterialized(options) && options.store === undefined)
      this.grouping.wiring.graph.names.store(PREFIX.streamAggregate);
    return this.fold(PREFIX.streamAggregate, options, long(), countFold);
  }

  reduce(
    reducer: (aggregate: NonNullable<V>, value: V) => Awaitable<V | null>,
    options: WindowedOptions = {},
  ): KTable<Windowed<K>, NonNullable<V>> {
    const fold = reduceFold(userFunction(reducer, 'reduce') as (aggregate: V, value: V) => Awaitable<V | null>);
    return this.fold(
      PREFIX.streamReduce,
      options,
      this.grouping.value as Serde<NonNullable<V>>,
      fold as RowFold<K, V, NonNullable<V>>,
    );
  }

  aggregate<A>(
    options: WindowedOptions & {
      readonly value: Serde<A>;
      init(): Awaitable<A>;
      add(key: K, value: V, aggregate: A): Awaitable<A | null>;
    },
  ): KTable<Windowed<K>, A> {
    userFunction(options?.init, 'aggregate', 'function init');
    userFunction(options.add, 'aggregate', 'function add');
    const fold = aggregateFold<K, V, A>(
      () => options.init(),
      (key, value, aggregate) => options.add(key, value, aggregate),
    );
    return this.fold(PREFIX.streamAggregate, options, options.value, fold);
  }

  private fold<A>(
    prefix: string,
    options: WindowedOptions,
    value: Serde<A>,
    fold: RowFold<K, V, A>,
  ): KTable<Windowed<K>, A> {
    return windowedTable(this.grouping, { prefix, options, value, emit: this.emit, ...this.steps(fold) });
  }

  /** What the kind of windows decides. */
  private steps<A>(
    fold: RowFold<K, V, A>,
  ): Pick<WindowedAggregation<K, V, A>, 'windowing' | 'materialize' | 'supplier'> {
    return windowSteps(this.grouping.key, this.windows, fold);
  }
}

checkOptions(TimeWindowedStream, WINDOWED_STREAM);

/** What the kind of windows decides of an aggregation. */
export function windowSteps<K, V, A>(
  key: Serde<K>,
  windows: TimeWindows | UnlimitedWindows | SlidingWindows,
  fold: RowFold<K, V, A>,
): Pick<WindowedAggregation<K, V, A>, 'windowing' | 'materialize' | 'supplier'> {
  if (windows.kind === 'sliding') {
    const { timeDifferenceMs: maxSizeMs } = windows;
    const kept = { maxSizeMs, endOf: (startMs: number) => clampTime(startMs + maxSizeMs) };
    return {
      windowing: slidingWindowing(key, windows),
      materialize: (store) => materializeWindows(store, kept),
      supplier: (node) => slidingAggregate(node, windows, fold),
    };
  }
  return {
    windowing: fixedWindowing(key, windows),
    materialize: (store) => materializeWindows(store, windows),
    supplier: (node) => windowAggregate(node, windows, fold),
  };
}
