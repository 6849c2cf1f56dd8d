import type { Awaitable } from '../model/awaitable.js';
import { nullable } from '../serde/nullable-serde.js';
import type { Serde } from '../serde/serde.js';
import { materialize } from './materialize.js';
import { PREFIX } from './names.js';
import { regroup } from './operators/regroup.js';
import { toStream } from './operators/table-source.js';
import { filterStep, mapValuesStep, type RowStep, tableStep } from './operators/table-steps.js';
import { isMaterialized, type NamedOptions, type StoreOptions } from './options.js';
import type { KGroupedTable, KStream, KTable, Predicate } from './streams.js';
import { derivedView, storeView } from './table-view.js';
import { userFunction } from './user-function.js';
import type { TableParts, Wiring } from './wiring.js';

type AnyMapper = (...args: never[]) => unknown;
interface AnySerdes {
  readonly key?: Serde<unknown>;
  readonly value?: Serde<unknown>;
}

/** The one kind of {@link KTable}. */
export class Table<K, V> implements KTable<K, V> {
  readonly queryableStoreName: string | null;
  private readonly wiring: Wiring;
  private readonly parts: TableParts<K, V>;

  constructor(wiring: Wiring, parts: TableParts<K, V>) {
    this.wiring = wiring;
    this.parts = parts;
    this.queryableStoreName = parts.queryableStoreName;
  }

  filter(predicate: Predicate<K, V>, options: NamedOptions & StoreOptions = {}): KTable<K, V> {
    return this.filtered(filterStep(userFunction(predicate, 'filter'), true), options);
  }

  filterNot(predicate: Predicate<K, V>, options: NamedOptions & StoreOptions = {}): KTable<K, V> {
    return this.filtered(filterStep(userFunction(predicate, 'filterNot'), false), options);
  }

  mapValues(mapper: AnyMapper, options: NamedOptions & StoreOptions & AnySerdes = {}): KTable<K, never> {
    const value: Serde<unknown> = options.value ?? nullable(this.parts.value);
    const step = mapValuesStep<K, V, unknown>(userFunction(mapper, 'mapValues') as never);
    return this.step({ prefix: PREFIX.tableMapValues, options, value, step, skipAbsent: false }) as KTable<K, never>;
  }

  toStream(options: NamedOptions = {}): KStream<K, V | null> {
    const { graph } = this.wiring;
    const name = graph.names.orGenerated(options.name, PREFIX.toStream);
    const node = graph.add({
      name,
      parents: [this.parts.node],
      write: (builder, parents) => void builder.addProcessor(name, toStream<K, V>(), { parents }),
    });
    return this.wiring.stream({ node, key: this.parts.key, value: nullable(this.parts.value), keyChanged: false });
  }

  groupBy(selector: AnyMapper, options: NamedOptions & AnySerdes = {}): KGroupedTable<never, never> {
    const { graph } = this.wiring;
    const name = graph.names.orGenerated(options.name, PREFIX.tableSelect);
    const key: Serde<unknown> = options.key ?? nullable(this.parts.key);
    const value: Serde<unknown> = options.value ?? nullable(this.parts.value);
    this.parts.sendOldValues(true);
    const pairOf = userFunction(selector, 'groupBy') as (
      key: K,
      value: V,
    ) => Awaitable<readonly [unknown, unknown] | null>;
    const node = graph.add({
      name,
      parents: [this.parts.node],
      write: (builder, parents) => void builder.addProcessor(name, regroup(pairOf, key), { parents }),
    });
    return this.wiring.groupedTable({ node, key, value, name: options.name }) as KGroupedTable<never, never>;
  }

  private filtered(step: RowStep<K, V, V>, options: NamedOptions & StoreOptions): KTable<K, V> {
    const { value } = this.parts;
    return this.step({ prefix: PREFIX.tableFilter, options, value, step, skipAbsent: true });
  }

  private step<V2>(wanted: {
    readonly prefix: string;
    readonly options: NamedOptions & StoreOptions;
    readonly value: Serde<V2>;
    readonly step: RowStep<K, V, V2>;
    /** A filter's: it asks for old values where they cost nothing, and then keeps back what was and is not there. */
    readonly skipAbsent: boolean;
  }): KTable<K, V2> {
    const { graph } = this.wiring;
    const { prefix, options, value, step, skipAbsent } = wanted;
    const { store } = options;
    if (store === undefined && isMaterialized(options)) graph.names.store(prefix); // a number is taken, as in Kafka Streams
    const name = graph.names.orGenerated(options.name, prefix);
    const { key, sendOldValues: parentSends, view: parentView } = this.parts;
    const spec = store === undefined ? null : materialize(store, key, value, options);
    let sendOldValues = skipAbsent && parentSends(false);
    const node = graph.add({
      name,
      parents: [this.parts.node],
      write(builder, parents) {
        const format = spec === null ? null : { store: spec.name, key, value };
        const cached = spec?.cached ?? false;
        builder.addProcessor(name, tableStep({ format, cached, sendOldValues, skipAbsent }, step), { parents });
        if (spec !== null) builder.addStateStore(spec, name);
      },
    });
    return this.wiring.table({
      node,
      key,
      value,
      queryableStoreName: store ?? null,
      sendOldValues(force) {
        if (!sendOldValues) sendOldValues = spec !== null || parentSends(force);
        return sendOldValues;
      },
      view: () => (spec === null ? derivedView(parentView(), step) : storeView({ store: spec.name, key, value })),
    });
  }
}
