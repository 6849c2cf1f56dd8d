import type { Awaitable } from '../model/awaitable.js';
import { TopologyError } from '../model/errors.js';
import type { ProcessorSupplier } from '../processor/processor.js';
import type { ValueTransformerSupplier } from '../processor/value-transformer.js';
import { nullable } from '../serde/nullable-serde.js';
import type { Serde } from '../serde/serde.js';
import { expectOptions } from '../topology/expect-options.js';
import type { Change } from './change.js';
import { type AnyTableJoin, joinTable } from './joins/join-table.js';
import { expectHistoryIsKept, materialize, rowFormat } from './materialize.js';
import { PREFIX } from './names.js';
import { checkOptions, TABLE } from './operator-options.js';
import { regroup } from './operators/regroup.js';
import { toStream } from './operators/table-source.js';
import { filterStep, mapValuesStep, type RowStep, type TableStepNode, tableStep } from './operators/table-steps.js';
import { transformedView, transformValues } from './operators/transform-values.js';
import {
  isMaterialized,
  type NamedOptions,
  type ProcessOptions,
  type StoreOptions,
  type SuppressOptions,
} from './options.js';
import type { KGroupedTable, KStream, KTable, Predicate } from './streams.js';
import { suppressedTable } from './suppressed-table.js';
import type { Suppression } from './suppression.js';
import { derivedView, storeView, type TableView } from './table-view.js';
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
    return this.step({ prefix: PREFIX.tableMapValues, options, value, ...byRow(step), skipAbsent: false }) as KTable<
      K,
      never
    >;
  }

  transformValues<V2>(
    supplier: ValueTransformerSupplier<K, V, V2>,
    options: NamedOptions & StoreOptions & ProcessOptions & { readonly value: Serde<V2> },
  ): KTable<K, V2> {
    const made = userFunction(supplier, 'transformValues', 'supplier');
    if (options?.value === undefined) throw new TopologyError('transformValues: there is no serde for the value');
    const { value, stores = [] } = options;
    return this.step({
      prefix: PREFIX.tableTransformValues,
      options,
      stores,
      value,
      processors: (node) => transformValues(node, made),
      derived: (of) => transformedView(of, made, stores),
      skipAbsent: false,
    });
  }

  join(other: object, options: AnyTableJoin): KTable<K, never> {
    return joinTable(this.wiring, this.parts, { kind: 'inner', other, options });
  }

  leftJoin(other: object, options: AnyTableJoin): KTable<K, never> {
    return joinTable(this.wiring, this.parts, { kind: 'left', other, options });
  }

  outerJoin(other: object, options: AnyTableJoin): KTable<K, never> {
    return joinTable(this.wiring, this.parts, { kind: 'outer', other, options });
  }

  toStream(first: NamedOptions | AnyMapper = {}, more: NamedOptions & AnySerdes = {}): KStream<never, V | null> {
    if (typeof first !== 'function') return this.updates(expectOptions('toStream', first, ['name'])) as never;
    const { name, ...serdes } = expectOptions('toStream', more, ['name', 'key']);
    const updates = this.updates(name === undefined ? {} : { name });
    return updates.selectKey(first as never, serdes as never) as never;
  }

  private updates(options: NamedOptions): KStream<K, V | null> {
    const { graph } = this.wiring;
    const name = graph.names.orGenerated(options.name, PREFIX.toStream);
    const node = graph.add({
      name,
      parents: [this.parts.node],
      write: (builder, parents) => void builder.addProcessor(name, toStream<K, V>(), { parents }),
    });
    return this.wiring.stream({ node, key: this.parts.key, value: nullable(this.parts.value), keyChanged: false });
  }

  suppress(until: Suppression, options: SuppressOptions = {}): KTable<K, V> {
    return suppressedTable(this.wiring, this.parts, until, options);
  }

  groupBy(selector: AnyMapper, options: NamedOptions & AnySerdes = {}): KGroupedTable<never, never> {
    const { graph } = this.wiring;
    const name = graph.names.orGenerated(options.name, PREFIX.tableSelect);
    const key: Serde<unknown> = options.key ?? nullable(this.parts.key);
    const value: Serde<unknown> = options.value ?? nullable(this.parts.value);
    this.parts.sendOldValues(true);
    const { isVersioned = false } = this.parts;
    const pairOf = userFunction(selector, 'groupBy') as (
      key: K,
      value: V,
    ) => Awaitable<readonly [unknown, unknown] | null>;
    const node = graph.add({
      name,
      parents: [this.parts.node],
      write: (builder, parents) => void builder.addProcessor(name, regroup(pairOf, key, isVersioned), { parents }),
    });
    return this.wiring.groupedTable({ node, key, value, name: options.name }) as KGroupedTable<never, never>;
  }

  private filtered(step: RowStep<K, V, V>, options: NamedOptions & StoreOptions): KTable<K, V> {
    const { value } = this.parts;
    return this.step({ prefix: PREFIX.tableFilter, options, value, ...byRow(step), skipAbsent: true });
  }

  private step<V2>(wanted: {
    readonly prefix: string;
    readonly options: NamedOptions & StoreOptions;
    readonly value: Serde<V2>;
    readonly processors: (node: TableStepNode<K, V2>) => ProcessorSupplier<K, Change<V>, K, Change<V2>>;
    /** The rows as they are looked up if they are not kept. */
    readonly derived: (of: TableView<K, V>) => TableView<K, V2>;
    /** Stores of the user's that the node may ask for. */
    readonly stores?: readonly string[];
    /** A filter's: it asks for old values where they cost nothing, and then keeps back what was and is not there. */
    readonly skipAbsent: boolean;
  }): KTable<K, V2> {
    const { graph } = this.wiring;
    const { prefix, options, value, processors, derived, stores = [], skipAbsent } = wanted;
    const { store } = options;
    if (store === undefined && isMaterialized(options)) graph.names.store(prefix); // a number is taken, as in Kafka Streams
    const name = graph.names.orGenerated(options.name, prefix);
    const { key, sendOldValues: parentSends, view: parentView, isVersioned = false } = this.parts;
    expectHistoryIsKept(options, name);
    const spec = store === undefined ? null : materialize(store, key, value, options);
    const format = spec === null ? null : rowFormat(spec, key, value);
    const skips = skipAbsent && !isVersioned;
    let sendOldValues = skipAbsent && parentSends(false);
    const node = graph.add({
      name,
      parents: [this.parts.node],
      write(builder, parents) {
        const cached = spec?.cached ?? false;
        const supplier = processors({ format, cached, sendOldValues, skipAbsent: skips });
        builder.addProcessor(name, supplier, { parents, stores });
        if (spec !== null) builder.addStateStore(spec, name);
      },
    });
    return this.wiring.table({
      node,
      key,
      value,
      queryableStoreName: store ?? null,
      isVersioned: format === null ? isVersioned : format.historyRetentionMs !== undefined,
      sendOldValues(force) {
        if (!sendOldValues) sendOldValues = spec !== null || parentSends(force);
        return sendOldValues;
      },
      view: () => (format === null ? derived(parentView()) : storeView(format)),
    });
  }
}

checkOptions(Table, TABLE);

/** What a function of one row makes of a table. */
function byRow<K, V, V2>(step: RowStep<K, V, V2>) {
  return {
    processors: (node: TableStepNode<K, V2>) => tableStep(node, step),
    derived: (of: TableView<K, V>) => derivedView(of, step),
  };
}
