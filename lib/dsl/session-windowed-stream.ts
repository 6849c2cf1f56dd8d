import { type Awaitable, andThen } from '../model/awaitable.js';
import type { Windowed } from '../model/windowed.js';
import { long } from '../serde/number-serdes.js';
import type { Serde } from '../serde/serde.js';
import { PREFIX } from './names.js';
import { checkOptions, WINDOWED_STREAM } from './operator-options.js';
import type { RowFold } from './operators/aggregate-processor.js';
import { type SessionFold, sessionAggregate } from './operators/session-aggregate.js';
import { aggregateFold, countFold, reduceFold } from './operators/stream-aggregate.js';
import { isMaterialized, type WindowedOptions } from './options.js';
import type { KTable, SessionWindowedKStream } from './streams.js';
import { userFunction } from './user-function.js';
import { materializeSessions } from './windows/materialize-windows.js';
import { expectStrategy } from './windows/window-checks.js';
import { type Grouping, type WindowedAggregation, windowedTable } from './windows/windowed-table.js';
import { sessionWindowing } from './windows/windowing.js';
import type { EmitStrategy, SessionWindows } from './windows/windows.js';

/** The one kind of {@link SessionWindowedKStream}. */
export class SessionWindowedStream<K, V> implements SessionWindowedKStream<K, V> {
  private readonly grouping: Grouping<K, V>;
  private readonly windows: SessionWindows;
  private readonly emit: EmitStrategy;

  constructor(grouping: Grouping<K, V>, windows: SessionWindows, emit: EmitStrategy = 'onWindowUpdate') {
    this.grouping = grouping;
    this.windows = windows;
    this.emit = emit;
  }

  emitStrategy(emit: EmitStrategy): SessionWindowedKStream<K, V> {
    return new SessionWindowedStream(this.grouping, this.windows, expectStrategy(emit, this.windows));
  }

  count(options: WindowedOptions = {}): KTable<Windowed<K>, number> {
    // Kafka Streams takes a number here, for the sake of topologies of old, if a Materialized without name is given.
    if (isMaterialized(options) && options.store === undefined)
      this.grouping.wiring.graph.names.store(PREFIX.streamAggregate);
    const merge = (_key: K, count: number | null, session: number) => (count ?? 0) + session;
    return this.fold(PREFIX.streamAggregate, options, long(), { init: () => 0, merge, add: countFold });
  }

  reduce(
    reducer: (aggregate: NonNullable<V>, value: V) => Awaitable<V | null>,
    options: WindowedOptions = {},
  ): KTable<Windowed<K>, NonNullable<V>> {
    const reduced = userFunction(reducer, 'reduce');
    const fold: SessionFold<K, V, NonNullable<V>> = {
      init: () => null,
      merge: (_key, aggregate, session) =>
        (aggregate === null ? session : reduced(aggregate, session)) as Awaitable<NonNullable<V> | null>,
      add: reduceFold(reduced as (aggregate: V, value: V) => Awaitable<V | null>) as RowFold<K, V, NonNullable<V>>,
    };
    return this.fold(PREFIX.streamReduce, options, this.grouping.value as Serde<NonNullable<V>>, fold);
  }

  aggregate<A>(
    options: WindowedOptions & {
      readonly value: Serde<A>;
      init(): Awaitable<A>;
      add(key: K, value: V, aggregate: A): Awaitable<A | null>;
      merge(key: K, aggregate: A, session: A): Awaitable<A>;
    },
  ): KTable<Windowed<K>, A> {
    for (const role of ['init', 'add', 'merge'] as const)
      userFunction(options?.[role], 'aggregate', `function ${role}`);
    const init = () => options.init();
    const fold: SessionFold<K, V, A> = {
      init,
      merge: (key, aggregate, session) => andThen(aggregate ?? init(), (before) => options.merge(key, before, session)),
      add: aggregateFold<K, V, A>(init, (key, value, aggregate) => options.add(key, value, aggregate)),
    };
    return this.fold(PREFIX.streamAggregate, options, options.value, fold);
  }

  private fold<A>(
    prefix: string,
    options: WindowedOptions,
    value: Serde<A>,
    fold: SessionFold<K, V, A>,
  ): KTable<Windowed<K>, A> {
    const steps = sessionSteps(this.grouping.key, this.windows, options, fold);
    return windowedTable(this.grouping, { prefix, options, value, emit: this.emit, ...steps });
  }
}

checkOptions(SessionWindowedStream, WINDOWED_STREAM);

/** What sessions decide of an aggregation. */
export function sessionSteps<K, V, A>(
  key: Serde<K>,
  windows: SessionWindows,
  { inMemory = false }: WindowedOptions,
  fold: SessionFold<K, V, A>,
): Pick<WindowedAggregation<K, V, A>, 'windowing' | 'materialize' | 'supplier'> {
  return {
    windowing: sessionWindowing(key, windows, inMemory),
    materialize: materializeSessions,
    supplier: (node) => sessionAggregate({ ...node, inMemory }, windows, fold),
  };
}
