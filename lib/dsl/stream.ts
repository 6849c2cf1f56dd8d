import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { FixedKeyProcessorSupplier } from '../processor/fixed-key.js';
import type { ProcessorSupplier } from '../processor/processor.js';
import type { StreamRecord } from '../processor/stream-record.js';
import { nullable } from '../serde/nullable-serde.js';
import type { Serde } from '../serde/serde.js';
import type { RecordContext, TopicNameExtractor } from '../topology/node.js';
import type { AnyJoin } from './joins/join-options.js';
import { joinStream } from './joins/join-stream.js';
import { PREFIX } from './names.js';
import { checkOptions, STREAM } from './operator-options.js';
import { fixedKeys } from './operators/fixed-keys.js';
import { asyncBounds, mapValuesAsync } from './operators/map-values-async.js';
import {
  filter,
  flatMap,
  flatMapValues,
  foreach,
  map,
  mapValues,
  passThrough,
  peek,
  selectKey,
} from './operators/stateless.js';
import type {
  AsyncOptions,
  ExpiringOptions,
  GroupOptions,
  NamedOptions,
  ProcessOptions,
  RepartitionOptions,
  StoreOptions,
  ToOptions,
} from './options.js';
import { repartitionNames, repartitionNode } from './repartition.js';
import type { BranchedStream, KGroupedStream, KStream, KTable, Predicate } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import { toTable } from './to-table.js';
import { userFunction } from './user-function.js';
import { windowedPartitioner } from './windows/windowed-partitioner.js';
import type { StreamParts, Wiring } from './wiring.js';

/** What any operator that may change types is given: serdes left out are those from before. */
interface AnySerdes {
  readonly key?: Serde<unknown>;
  readonly value?: Serde<unknown>;
}
type AnyMapper = (...args: never[]) => unknown;
type Traits = Pick<GraphNode, 'changesKey' | 'changesValue' | 'merges'>;
const NEW_KEY: Traits = { changesKey: true };
const NEW_VALUE: Traits = { changesValue: true };

/**
 * The one kind of {@link KStream}. The interface's overloads promise that a serde left out fits the new type; here types are
 * carried through as they are.
 */
export class Stream<K, V> implements KStream<K, V> {
  private readonly wiring: Wiring;
  private readonly parts: StreamParts<K, V>;

  constructor(wiring: Wiring, parts: StreamParts<K, V>) {
    this.wiring = wiring;
    this.parts = parts;
  }

  filter(predicate: Predicate<K, V>, options: NamedOptions = {}): KStream<K, never> {
    return this.step(PREFIX.filter, options, filter(userFunction(predicate, 'filter'), true)) as KStream<K, never>;
  }

  filterNot(predicate: Predicate<K, V>, options: NamedOptions = {}): KStream<K, V> {
    return this.step(PREFIX.filter, options, filter(userFunction(predicate, 'filterNot'), false));
  }

  mapValues(mapper: AnyMapper, options: NamedOptions & AnySerdes = {}): KStream<K, never> {
    return this.retyped(PREFIX.mapValues, options, mapValues(userFunction(mapper, 'mapValues') as never), NEW_VALUE);
  }

  mapValuesAsync(mapper: AnyMapper, options: AsyncOptions & AnySerdes = {}): KStream<K, never> {
    const calls = asyncBounds(options);
    const called = userFunction(mapper, 'mapValuesAsync') as never;
    return this.retyped(PREFIX.mapValuesAsync, options, mapValuesAsync(this.parts.key, called, calls), NEW_VALUE);
  }

  flatMapValues(mapper: AnyMapper, options: NamedOptions & AnySerdes = {}): KStream<K, never> {
    return this.retyped(
      PREFIX.flatMapValues,
      options,
      flatMapValues(userFunction(mapper, 'flatMapValues') as never),
      NEW_VALUE,
    );
  }

  map(mapper: AnyMapper, options: NamedOptions & AnySerdes = {}): KStream<never, never> {
    return this.retyped(PREFIX.map, options, map(userFunction(mapper, 'map') as never), NEW_KEY);
  }

  flatMap(mapper: AnyMapper, options: NamedOptions & AnySerdes = {}): KStream<never, never> {
    return this.retyped(PREFIX.flatMap, options, flatMap(userFunction(mapper, 'flatMap') as never), NEW_KEY);
  }

  selectKey(selector: AnyMapper, options: NamedOptions & AnySerdes = {}): KStream<never, V> {
    return this.retyped(
      PREFIX.selectKey,
      options,
      selectKey(userFunction(selector, 'selectKey') as never),
      NEW_KEY,
    ) as KStream<never, V>;
  }

  peek(action: (key: K, value: V) => unknown, options: NamedOptions = {}): KStream<K, V> {
    return this.step(PREFIX.peek, options, peek(userFunction(action, 'peek')));
  }

  foreach(action: (key: K, value: V) => unknown, options: NamedOptions = {}): void {
    this.addStep(PREFIX.foreach, options, foreach(userFunction(action, 'foreach')));
  }

  merge(other: KStream<K, V>, options: NamedOptions = {}): KStream<K, V> {
    if (!(other instanceof Stream)) throw new TopologyError(`merge needs a stream, not ${kindOfValue(other)}`);
    if (other.wiring.graph !== this.wiring.graph) {
      throw new TopologyError('merge: the other stream belongs to another builder', {
        remedy: 'Make both streams with one StreamsBuilder.',
      });
    }
    const { parts } = other as Stream<K, V>;
    const node = this.addStep(PREFIX.merge, options, passThrough<K, V>(), {
      parents: [this.parts.node, parts.node],
      merges: true,
    });
    return this.wiring.stream({ ...this.parts, node, keyChanged: this.parts.keyChanged || parts.keyChanged });
  }

  join(other: object, options: AnyJoin & AnySerdes): KStream<K, never> {
    return joinStream(this.wiring, this.parts, { kind: 'inner', other, options });
  }

  leftJoin(other: object, options: AnyJoin & AnySerdes): KStream<K, never> {
    return joinStream(this.wiring, this.parts, { kind: 'left', other, options });
  }

  outerJoin(other: object, options: AnyJoin & AnySerdes): KStream<K, never> {
    return joinStream(this.wiring, this.parts, { kind: 'outer', other, options });
  }

  split(options: NamedOptions = {}): BranchedStream<K, V> {
    return this.wiring.branched({ ...this.parts, name: options.name });
  }

  toTable(options: NamedOptions & StoreOptions & ExpiringOptions = {}): KTable<K, NonNullable<V>> {
    return toTable(this.wiring, this.parts, options) as KTable<K, NonNullable<V>>;
  }

  groupByKey(options: GroupOptions<K, NonNullable<V>> = {}): KGroupedStream<K, V> {
    return this.grouped(this.parts, options);
  }

  groupBy(selector: AnyMapper, options: NamedOptions & AnySerdes = {}): KGroupedStream<never, V> {
    const node = this.addStep(
      PREFIX.selectKey,
      options,
      selectKey(userFunction(selector, 'groupBy') as never),
      NEW_KEY,
    );
    const parts = { ...this.parts, node, keyChanged: true };
    return this.grouped(parts, options as GroupOptions<K, NonNullable<V>>) as KGroupedStream<never, V>;
  }

  repartition(options: RepartitionOptions<K, V> = {}): KStream<K, V> {
    const { graph } = this.wiring;
    const { key = this.parts.key, value = this.parts.value, partitions, partitioner } = options;
    const name = options.name ?? graph.names.node(PREFIX.repartition);
    const names = repartitionNames(graph, name);
    const request = { name, key, value, partitions, partitioner };
    const node = graph.add(repartitionNode(this.parts.node, names, request));
    return this.wiring.stream({ node, key, value, keyChanged: false });
  }

  to(
    topic: string | ((record: StreamRecord<K, V>, context: RecordContext) => string),
    options: ToOptions<K, V> = {},
  ): void {
    const { graph } = this.wiring;
    const { key = this.parts.key, value = this.parts.value, partitioner = windowedPartitioner(key) } = options;
    const name = graph.names.orGenerated(options.name, PREFIX.sink);
    const sink = { key, value, ...(partitioner === undefined ? {} : { partitioner }) };
    graph.add({
      name,
      parents: [this.parts.node],
      write(builder, parents) {
        builder.addSink(name, topic as string | TopicNameExtractor, { parents, ...sink });
      },
    });
  }

  process(
    supplier: ProcessorSupplier<K, V, never, never>,
    options: ProcessOptions & AnySerdes = {},
  ): KStream<never, never> {
    return this.retyped(PREFIX.process, options, supplier, NEW_VALUE, true);
  }

  processValues(
    supplier: FixedKeyProcessorSupplier<K, V, never>,
    options: ProcessOptions & AnySerdes = {},
  ): KStream<K, never> {
    return this.retyped(
      PREFIX.processValues,
      options,
      fixedKeys(userFunction(supplier, 'processValues', 'supplier')),
      NEW_VALUE,
    );
  }

  private grouped(parts: StreamParts<K, V>, options: GroupOptions<K, NonNullable<V>>): KGroupedStream<K, V> {
    return this.wiring.groupedStream({
      node: parts.node,
      key: options.key ?? parts.key,
      value: (options.value ?? parts.value) as Serde<V>,
      keyChanged: parts.keyChanged,
      name: options.name,
    });
  }

  /** A step that changes no type. */
  private step(prefix: string, options: NamedOptions, supplier: ProcessorSupplier<K, V, K, V>): KStream<K, V> {
    return this.wiring.stream({ ...this.parts, node: this.addStep(prefix, options, supplier) });
  }

  private retyped(
    prefix: string,
    options: ProcessOptions & AnySerdes,
    supplier: ProcessorSupplier<K, V, never, never>,
    traits: Traits,
    changesKey = traits.changesKey === true,
  ): KStream<never, never> {
    const node = this.addStep(prefix, options, supplier, { ...traits, stores: options.stores ?? [] });
    const key: Serde<unknown> = options.key ?? nullable(this.parts.key);
    const value: Serde<unknown> = options.value ?? nullable(this.parts.value);
    const keyChanged = this.parts.keyChanged || changesKey;
    return this.wiring.stream({ node, key, value, keyChanged }) as KStream<never, never>;
  }

  private addStep<KOut, VOut>(
    prefix: string,
    options: NamedOptions,
    supplier: ProcessorSupplier<K, V, KOut, VOut>,
    more: Traits & { readonly parents?: readonly GraphNode[]; readonly stores?: readonly string[] } = {},
  ): GraphNode {
    const { graph } = this.wiring;
    const takesNumber = prefix !== PREFIX.process && prefix !== PREFIX.processValues;
    const name = takesNumber
      ? graph.names.orGenerated(options.name, prefix)
      : graph.names.givenOrGenerated(options.name, prefix);
    const { stores = [], parents: given = [this.parts.node], ...traits } = more;
    return graph.add({
      name,
      parents: given,
      ...traits,
      write: (builder, parents) => void builder.addProcessor(name, supplier, { parents, stores }),
    });
  }
}

checkOptions(Stream, STREAM);
