import { type Awaitable, andThen } from '../model/awaitable.js';
import { TopologyError } from '../model/errors.js';
import type { Windowed } from '../model/windowed.js';
import type { Serde } from '../serde/serde.js';
import { expectOptions } from '../topology/expect-options.js';
import { type AddToCogroup, type Cogroup, cogroupedTable } from './cogrouped-table.js';
import { materialize } from './materialize.js';
import { nameErrors } from './name-errors.js';
import { PREFIX } from './names.js';
import { COGROUPED, COGROUPED_IN_WINDOWS, checkOptions } from './operator-options.js';
import { aggregateFold, streamAggregate } from './operators/stream-aggregate.js';
import type { AggregateOptions, WindowedOptions } from './options.js';
import { sessionSteps } from './session-windowed-stream.js';
import type { CogroupedKStream, KGroupedStream, KTable } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import { windowSteps } from './time-windowed-stream.js';
import { userFunction } from './user-function.js';
import { expectWindows } from './windows/window-checks.js';
import { closeName, type Grouping, type WindowedAggregation } from './windows/windowed-table.js';
import { windowedView } from './windows/windowed-view.js';
import type { SessionWindows, SlidingWindows, TimeWindows, UnlimitedWindows } from './windows/windows.js';

type AnyWindows = TimeWindows | UnlimitedWindows | SlidingWindows | SessionWindows;
type Steps<K, A> = Pick<WindowedAggregation<K, never, A>, 'windowing' | 'materialize' | 'supplier'>;

interface CogroupOptions<A> {
  readonly value: Serde<A>;
  init(): Awaitable<A>;
}
interface SessionCogroupOptions<K, A> extends CogroupOptions<A> {
  merge(key: K, aggregate: A, session: A): Awaitable<A>;
}

/** The one kind of {@link CogroupedKStream}. */
export class CogroupedStream<K, A> implements CogroupedKStream<K, A> {
  private readonly first: Grouping<K, never>;
  private readonly cogrouped: Cogroup<K, A>;
  private readonly parents: Map<Grouping<K, never>, GraphNode>;

  constructor(
    first: Grouping<K, never>,
    cogrouped: Cogroup<K, A>,
    parents: Map<Grouping<K, never>, GraphNode> = new Map(),
  ) {
    this.first = first;
    this.cogrouped = cogrouped;
    this.parents = parents;
  }

  cogroup<V>(
    grouped: KGroupedStream<K, V>,
    add: (key: K, value: V, aggregate: A) => Awaitable<A | null>,
  ): CogroupedKStream<K, A> {
    const grouping = (grouped as { readonly grouping?: Grouping<K, never> } | null | undefined)?.grouping;
    if (grouping?.wiring.graph !== this.first.wiring.graph) {
      throw new TopologyError('cogroup: the other is no grouped stream of this builder', {
        remedy: 'Give what groupByKey or groupBy of a stream of the same StreamsBuilder answers.',
      });
    }
    const added = userFunction(add, 'cogroup', 'function add') as AddToCogroup<K, A>;
    return new CogroupedStream(this.first, new Map([...this.cogrouped, [grouping, added]]), this.parents);
  }

  aggregate(options: AggregateOptions & CogroupOptions<A>): KTable<K, A> {
    userFunction(options?.init, 'aggregate', 'function init');
    const { wiring, key } = this.first;
    const { value } = options;
    const spec = materialize(this.storeName(options), key, value, options);
    return cogroupedTable({
      wiring,
      cogroup: this.cogrouped,
      parents: this.parents,
      options,
      spec,
      storeKey: key,
      tableKey: key,
      value,
      supplier: (node, add) =>
        streamAggregate(
          node,
          aggregateFold<K, never, A>(() => options.init(), add),
        ),
    });
  }

  windowedBy(windows: AnyWindows): never {
    const windowed = {
      aggregate: (options: WindowedOptions & SessionCogroupOptions<K, A>) =>
        nameErrors('aggregate', options, () =>
          this.aggregateIn(windows, expectOptions('aggregate', options, COGROUPED_IN_WINDOWS)),
        ),
    };
    if (windows?.kind !== 'session') expectWindows(windows);
    return windowed as never;
  }

  private aggregateIn(
    windows: AnyWindows,
    options: WindowedOptions & SessionCogroupOptions<K, A>,
  ): KTable<Windowed<K>, A> {
    const roles = windows.kind === 'session' ? (['init', 'merge'] as const) : (['init'] as const);
    for (const role of roles) userFunction(options?.[role], 'aggregate', `function ${role}`);
    const { wiring, key } = this.first;
    const { value } = options;
    const store = this.storeName(options);
    const steps = (add: AddToCogroup<K, A>) => stepsFor(key, windows, options, add);
    const { windowing, materialize: keep } = steps(() => null);
    const { storeKey, tableKey, leastRetentionMs, waitMs: windowGraceMs } = windowing;
    const emit = 'onWindowUpdate';
    const spec = keep({ name: store, key, value, options, emit, leastRetentionMs });
    const { retentionMs = leastRetentionMs } = spec;
    const format = { store, key: storeKey, value };
    return cogroupedTable<K, Windowed<K>, A>({
      wiring,
      cogroup: this.cogrouped,
      parents: this.parents,
      options,
      spec,
      storeKey,
      tableKey,
      value,
      windowGraceMs,
      view: windowedView(format, { retentionMs, isSession: windows.kind === 'session' }),
      supplier: (node, add, index) => {
        // Each stream has its own time, as in Kafka Streams: one that lags behind the others is not late for that.
        const name = `${closeName(store, emit)}.${index}`;
        return steps(add).supplier({ ...node, ...windowing, retentionMs, key, emit, closeName: name });
      },
    });
  }

  private storeName({ store }: AggregateOptions): string {
    return store ?? this.first.wiring.graph.names.store(PREFIX.cogroupAggregate);
  }
}

checkOptions(CogroupedStream, COGROUPED);

/** What the kind of windows decides, for the values of one grouping. */
function stepsFor<K, A>(
  key: Serde<K>,
  windows: AnyWindows,
  options: WindowedOptions & SessionCogroupOptions<K, A>,
  addOne: AddToCogroup<K, A>,
): Steps<K, A> {
  const init = () => options.init();
  const add = aggregateFold<K, never, A>(init, addOne);
  if (windows.kind !== 'session') return windowSteps(key, windows, add);
  const merge = (of: K, aggregate: A | null, session: A) =>
    andThen(aggregate ?? init(), (before) => options.merge(of, before, session));
  return sessionSteps(key, windows, options, { init, merge, add });
}
