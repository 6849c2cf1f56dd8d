/**
 * The Processor API: a topology node by node. Kafka: `Topology`, `InternalTopologyBuilder`.
 *
 * Every rule of Kafka Streams is checked at the call that breaks it or in `build`, before anything runs: the error names the
 * node, store or topic (STREAMS_INVALID_TOPOLOGY).
 */
import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import { messageOf } from '../model/thrown.js';
import type { ProcessorSupplier } from '../processor/processor.js';
import type { Serde } from '../serde/serde.js';
import { compileTopology, type GlobalStoreParts } from './compile-topology.js';
import { expectOptions } from './expect-options.js';
import { expectProcessor } from './expect-processor.js';
import type { ProcessorNode, StreamPartitioner, TimestampExtractor, TopicNameExtractor, TopologyNode } from './node.js';
import { checkOffsetReset, type OffsetReset } from './offset-reset.js';
import { ReadTopics } from './read-topics.js';
import type { StoreSpec } from './store-spec.js';
import type { RepartitionTopic, Topology } from './topology.js';

/** One name or several. */
export type Names = string | readonly string[];

export interface SourceOptions<K, V> {
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  /** Default: the record's own timestamp. */
  readonly timestampExtractor?: TimestampExtractor;
  /** Where to start without committed offsets; default: the setting `autoOffsetReset`. */
  readonly offsetReset?: OffsetReset;
}

/** What a global store is read from, and what its nodes are called. */
export interface GlobalStoreOptions<K, V> {
  /** All of its partitions are read, from their starts on. */
  readonly topic: string;
  /** Name of the source. */
  readonly source: string;
  /** Name of the processor. */
  readonly processor: string;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
}

/** What a store that is kept from a topic is read from, and what its nodes are called. */
export interface ReadOnlyStoreOptions<K, V> extends GlobalStoreOptions<K, V> {
  /** Default: the record's own timestamp. */
  readonly timestampExtractor?: TimestampExtractor;
}

export interface ProcessorOptions {
  readonly parents: Names;
  /** Stores that the processor may ask for; they must have been added. */
  readonly stores?: Names;
}

export interface SinkOptions<K, V> {
  readonly parents: Names;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  /** Default: murmur2 of the key's bytes. */
  readonly partitioner?: StreamPartitioner;
}

const SOURCE_OPTIONS = ['key', 'value', 'timestampExtractor', 'offsetReset'];
const PROCESSOR_OPTIONS = ['parents', 'stores'];
const SINK_OPTIONS = ['parents', 'key', 'value', 'partitioner'];
const GLOBAL_OPTIONS = ['topic', 'source', 'processor', 'key', 'value'];
const READ_ONLY_OPTIONS = [...GLOBAL_OPTIONS, 'timestampExtractor'];

/**
 * Builds a topology of named nodes.
 *
 * @example
 * const topology = new TopologyBuilder()
 *   .addSource('lines', 'text', { key: string(), value: string() })
 *   .addProcessor('count', () => new CountWords(), { parents: 'lines' })
 *   .addStateStore(keyValueStore({ name: 'counts', key: string(), value: long() }), 'count')
 *   .addSink('out', 'counts', { parents: 'count', key: string(), value: long() })
 *   .build();
 */
export class TopologyBuilder {
  private readonly nodes = new Map<string, TopologyNode>();
  private readonly stores = new Map<string, StoreSpec>();
  private readonly globalStores = new Map<string, GlobalStoreParts>();
  /** Processors by store, in the order in which they were connected. */
  private readonly users = new Map<string, string[]>();
  private readonly read = new ReadTopics();
  private readonly repartitionTopics = new Map<string, RepartitionTopic>();
  private readonly copartitioned: (readonly string[])[] = [];
  private readonly copartitionedUnasked: (readonly string[])[] = [];
  private readonly sourceTopicOfStore = new Map<string, string>();

  /**
   * Reads one topic or several, or all topics whose whole name matches a pattern: those that there are, and those that come later, which
   * the next run of the scheduler finds. The application's own internal topics and dead letters never match. Kafka: `addSource`.
   */
  addSource<K, V>(name: string, topics: Names | RegExp, options: SourceOptions<K, V>): this {
    this.expectFreeName(name);
    const pattern = topics instanceof RegExp ? topics : undefined;
    const list = topics instanceof RegExp ? [] : [...new Set(listOf(topics))];
    if (list.length === 0 && pattern === undefined) throw invalid(`source '${name}' reads no topic`, { node: name });
    for (const topic of list) this.read.addTopic(expectTopic(topic, name), name);
    if (pattern !== undefined) this.read.addPattern(pattern, name);
    const { key, value, timestampExtractor, offsetReset } = expectNodeOptions(options, name, SOURCE_OPTIONS);
    if (offsetReset !== undefined) checkOffsetReset(offsetReset, name);
    expectFunctionOrNothing(timestampExtractor, 'timestampExtractor', name);
    this.nodes.set(name, {
      kind: 'source',
      name,
      topics: list,
      ...(pattern === undefined ? {} : { pattern }),
      keySerde: expectSerde(key, 'key', name) as Serde<unknown>,
      valueSerde: expectSerde(value, 'value', name) as Serde<unknown>,
      ...(timestampExtractor === undefined ? {} : { timestampExtractor }),
      ...(offsetReset === undefined ? {} : { offsetReset }),
    });
    return this;
  }

  /** Adds a step, made anew for each task. Kafka: `addProcessor`. */
  addProcessor<KIn, VIn, KOut, VOut>(
    name: string,
    supplier: ProcessorSupplier<KIn, VIn, KOut, VOut>,
    options: ProcessorOptions,
  ): this {
    this.expectFreeName(name);
    if (typeof supplier !== 'function') {
      throw invalid(`processor '${name}' needs a function that makes it, not ${kindOfValue(supplier)}`, { node: name });
    }
    expectNewEachTime(name, supplier);
    const parents = this.expectParents(name, expectNodeOptions(options, name, PROCESSOR_OPTIONS).parents);
    this.nodes.set(name, {
      kind: 'processor',
      name,
      parents,
      supplier: supplier as ProcessorSupplier<unknown, unknown, unknown, unknown>,
      stores: [],
    });
    const stores = listOf(options.stores ?? []);
    if (stores.length > 0) this.connectProcessorAndStateStores(name, ...stores);
    return this;
  }

  /** Writes to a topic, or to the topic that a function names for each record. Kafka: `addSink`. */
  addSink<K, V>(name: string, topic: string | TopicNameExtractor, options: SinkOptions<K, V>): this {
    this.expectFreeName(name);
    const parents = this.expectParents(name, expectNodeOptions(options, name, SINK_OPTIONS).parents);
    expectFunctionOrNothing(options.partitioner, 'partitioner', name);
    if (typeof topic !== 'function') expectTopic(topic, name);
    this.nodes.set(name, {
      kind: 'sink',
      name,
      parents,
      topic,
      keySerde: expectSerde(options.key, 'key', name) as Serde<unknown>,
      valueSerde: expectSerde(options.value, 'value', name) as Serde<unknown>,
      ...(options.partitioner === undefined ? {} : { partitioner: options.partitioner }),
    });
    return this;
  }

  /** Adds a store and connects it. Kafka: `addStateStore`. */
  addStateStore(store: StoreSpec, ...processors: readonly string[]): this {
    expectStore(store);
    const existing = this.stores.get(store.name);
    if ((existing !== undefined && existing !== store) || this.globalStores.has(store.name)) {
      throw invalid(`a different state store '${store.name}' has already been added`, { store: store.name });
    }
    this.stores.set(store.name, store);
    if (existing === undefined) this.users.set(store.name, []);
    for (const processor of processors) this.connectProcessorAndStateStores(processor, store.name);
    return this;
  }

  /**
   * Adds a store that every member holds whole, kept from a topic by its own processor. Kafka: `addGlobalStore`.
   *
   * Any processor may read it by its name, without being connected. Only `supplier`'s may write to it: it sees every record of all
   * partitions, those of one partition in their order and with their own timestamps, and sees them again whenever a member loads
   * the store (KAFKA-7663). It has no children, no punctuations and no stream time (−1).
   *
   * @example
   * builder.addGlobalStore(
   *   keyValueStore({ name: 'rates', key: string(), value: double(), logged: false }),
   *   { topic: 'rates', source: 'rates-source', processor: 'rates-update', key: string(), value: double() },
   *   () => new KeepRates(),
   * );
   * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY, also for a store with a changelog: the topic is one
   */
  addGlobalStore<K, V>(store: StoreSpec, options: GlobalStoreOptions<K, V>, supplier: ProcessorSupplier<K, V>): this {
    expectStore(store);
    const { topic, source, processor, key, value } = expectNodeOptions(options, store.name, GLOBAL_OPTIONS);
    expectTopic(topic, source);
    if (this.stores.has(store.name) || this.globalStores.has(store.name)) {
      throw invalid(`a different state store '${store.name}' has already been added`, { store: store.name });
    }
    if (store.logged) {
      throw new TopologyError(`global store '${store.name}' must not have a changelog: its topic is one`, {
        details: { store: store.name },
        remedy: 'Make the store with { logged: false }.',
      });
    }
    if (store.ttlMs !== undefined) throw keptFromTopic('global', store.name);
    this.addSource(source, topic, { key, value });
    this.addProcessor(processor, supplier, { parents: source });
    const node = this.nodes.get(processor) as ProcessorNode;
    this.nodes.set(processor, { ...node, stores: [store.name] });
    this.globalStores.set(store.name, { spec: store, store: store.name, topic, source, processor });
    return this;
  }

  /**
   * Adds a store of each task that its own processor keeps from a topic, which serves as its changelog: it is restored from the topic's
   * records as they are, so the processor should put what comes under the key that it comes with. Processors that read it are
   * connected to it, and should not write to it. The topic is read from its start, and best compacted. Kafka: `addReadOnlyStateStore`
   * (KIP-813).
   *
   * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY, also for a store with a ttl: it holds what its topic says
   */
  addReadOnlyStateStore<K, V>(
    store: StoreSpec,
    options: ReadOnlyStoreOptions<K, V>,
    supplier: ProcessorSupplier<K, V>,
  ): this {
    expectStore(store);
    const { topic, source, processor, ...read } = expectNodeOptions(options, store.name, READ_ONLY_OPTIONS);
    expectTopic(topic, source);
    if (store.ttlMs !== undefined) throw keptFromTopic('read-only', store.name);
    return this.addSource(source, topic, { ...read, offsetReset: 'earliest' })
      .addProcessor(processor, supplier, { parents: source })
      .addStateStore(Object.freeze({ ...store, logged: false }), processor)
      .connectSourceStoreAndTopic(store.name, topic);
  }

  /** Lets a processor ask for stores; processors that share one belong to one sub-topology. */
  connectProcessorAndStateStores(processor: string, ...stores: readonly string[]): this {
    const node = this.nodes.get(processor);
    if (node === undefined) throw invalid(`processor '${processor}' is not added yet`, { node: processor });
    if (node.kind !== 'processor') {
      throw invalid(`a store cannot be connected to '${processor}', which is a ${node.kind}`, {
        node: processor,
        stores,
      });
    }
    if (stores.length === 0) throw invalid(`processor '${processor}' is connected to no store`, { node: processor });
    for (const store of stores) this.connect(node, store);
    return this;
  }

  /**
   * Declares a topic that the application owns: name it in a sink and in a source, without the application's prefix.
   *
   * @param partitions absent: the greatest count among the topics upstream
   */
  addRepartitionTopic(name: string, partitions?: number): this {
    expectTopic(name, name);
    if (partitions !== undefined && (!Number.isInteger(partitions) || partitions < 1)) {
      throw invalid(`repartition topic '${name}' cannot have ${partitions} partitions`, { topic: name, partitions });
    }
    if (this.repartitionTopics.has(name)) {
      throw invalid(`repartition topic '${name}' is already declared`, { topic: name });
    }
    this.repartitionTopics.set(name, { name, partitions });
    return this;
  }

  /**
   * Lets a source topic serve as the changelog of a store that holds just what the topic does: the store is restored from it, up to
   * the committed input offset, and writes none of its own. Kafka: `connectSourceStoreAndTopic`.
   */
  connectSourceStoreAndTopic(store: string, topic: string): this {
    if (!this.stores.has(store)) throw invalid(`state store '${store}' is not added yet`, { store, topic });
    if (!this.read.has(topic)) throw invalid(`no source reads topic '${topic}' of store '${store}'`, { store, topic });
    if (this.sourceTopicOfStore.has(store))
      throw invalid(`store '${store}' has a source topic already`, { store, topic });
    this.sourceTopicOfStore.set(store, topic);
    return this;
  }

  /** Demands one partition count of all topics that these sources read. Kafka: `copartitionSources`. */
  copartitionSources(...sources: readonly string[]): this {
    this.copartitioned.push(this.existing(sources));
    return this;
  }

  /**
   * Demands it too, where Kafka Streams forgets to: once its own demands are met, so that whatever it would answer rightly stays as it is.
   */
  copartitionUnasked(...sources: readonly string[]): this {
    this.copartitionedUnasked.push(this.existing(sources));
    return this;
  }

  /** The finished topology. May be called again; what is added later is not in an earlier one. */
  build(): Topology {
    this.read.checkOverlaps((topic) => this.repartitionTopics.has(topic));
    return compileTopology({
      nodes: new Map(this.nodes),
      stores: new Map(this.stores),
      globalStores: new Map(this.globalStores),
      users: new Map([...this.users].map(([store, processors]) => [store, [...processors]])),
      repartitionTopics: new Map(this.repartitionTopics),
      copartitioned: [...this.copartitioned],
      copartitionedUnasked: [...this.copartitionedUnasked],
      sourceTopicOfStore: new Map(this.sourceTopicOfStore),
    });
  }

  private existing(sources: readonly string[]): readonly string[] {
    for (const source of sources) {
      if (this.nodes.get(source)?.kind !== 'source') throw invalid(`'${source}' is no source`, { node: source });
    }
    return sources;
  }

  private connect(node: ProcessorNode, store: string): void {
    const users = this.users.get(store);
    if (this.globalStores.has(store)) {
      throw new TopologyError(`global store '${store}' cannot be connected to '${node.name}'`, {
        details: { node: node.name, store },
        remedy: 'Leave the store out: every processor may read a global store by its name.',
      });
    }
    if (users === undefined) {
      throw invalid(`processor '${node.name}': state store '${store}' is not added yet`, { node: node.name, store });
    }
    if (users.includes(node.name)) return;
    users.push(node.name);
    const current = this.nodes.get(node.name) as ProcessorNode;
    this.nodes.set(node.name, { ...current, stores: [...current.stores, store] });
  }

  private expectFreeName(name: string): void {
    if (typeof name !== 'string' || name === '') throw invalid('a node needs a name', { name });
    if (this.nodes.has(name)) throw invalid(`node '${name}' is already added`, { node: name });
  }

  private expectParents(name: string, parents: Names): readonly string[] {
    const list = listOf(parents);
    if (list.length === 0) throw invalid(`node '${name}' needs at least one parent`, { node: name });
    for (const parent of list) {
      const node = this.nodes.get(parent);
      if (parent === name) throw invalid(`node '${name}' cannot be its own parent`, { node: name });
      if (node === undefined)
        throw invalid(`parent '${parent}' of node '${name}' is not added yet`, { node: name, parent });
      if (node.kind === 'sink')
        throw invalid(`sink '${parent}' cannot be a parent of '${name}'`, { node: name, parent });
      const global = [...this.globalStores.values()].find((one) => one.source === parent || one.processor === parent);
      if (global !== undefined)
        throw invalid(`'${parent}' of global store '${global.store}' has no children: not '${name}'`, {
          node: name,
          parent,
          store: global.store,
        });
    }
    return list;
  }
}

function keptFromTopic(kind: string, store: string): TopologyError {
  return new TopologyError(`${kind} store '${store}' can not have a ttl: it holds what its topic says`, {
    details: { store },
    remedy: 'Let whoever writes the topic delete what has ended, or use a store of a task.',
  });
}

/** What are no names is no name: the callers say which is missing. */
export function listOf(names: Names | null | undefined): readonly string[] {
  if (typeof names === 'string') return [names];
  return Array.isArray(names) ? [...names] : [];
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what is no store */
export function expectStore(store: StoreSpec): void {
  if (typeof store?.name === 'string' && typeof store.open === 'function') return;
  throw invalid('a state store is what keyValueStore or timestampedKeyValueStore answers', { store });
}

function expectNodeOptions<T extends object>(options: T, node: string, known: readonly string[]): T {
  return expectOptions(`node '${node}'`, options, known);
}

function expectFunctionOrNothing(given: unknown, option: string, node: string): void {
  if (given === undefined || typeof given === 'function') return;
  throw invalid(`node '${node}': ${option} is ${kindOfValue(given)}, a function is wanted`, { node, option });
}

/** Tasks must not share a processor: its fields would be several tasks' at once. Kafka: `ApiUtils.checkSupplier`. */
function expectNewEachTime(node: string, supplier: () => unknown): void {
  let made: readonly unknown[];
  try {
    made = [supplier(), supplier()];
  } catch (thrown) {
    if (thrown instanceof TopologyError) throw ofProcessor(node, thrown);
    throw new TopologyError(`processor '${node}': its supplier throws: ${messageOf(thrown)}`, {
      cause: thrown,
      details: { node },
      remedy: 'Let the supplier make a processor, () => new YourProcessor(): what may fail is for its init.',
    });
  }
  for (const processor of made) expectProcessor(processor, `processor '${node}'`, { node });
  if (made[0] !== made[1]) return;
  throw new TopologyError(`processor '${node}': its supplier gives the same object again`, {
    details: { node },
    remedy: 'Make a new processor in each call of the function: every task gets one of its own.',
  });
}

function ofProcessor(node: string, { message, remedy, details }: TopologyError): TopologyError {
  return new TopologyError(`processor '${node}': ${message}`, { remedy, details: { node, ...details } });
}

/** Kafka's rule for topic names. */
function expectTopic(topic: unknown, node: string): string {
  if (typeof topic === 'string' && /^[a-zA-Z0-9._-]{1,249}$/.test(topic) && topic !== '.' && topic !== '..')
    return topic;
  throw new TopologyError(`node '${node}': '${String(topic)}' is no topic name`, {
    details: { node, topic },
    remedy: 'Name the topic with 1 to 249 letters, digits, dots, underscores and dashes.',
  });
}

function expectSerde<T>(serde: Serde<T>, side: 'key' | 'value', node: string): Serde<T> {
  if (typeof serde?.serialize === 'function' && typeof serde.deserialize === 'function') return serde;
  throw new TopologyError(`node '${node}' has no serde for its ${side}`, {
    details: { node, side },
    remedy: `Give the ${side} serde as an option: { ${side}: string() }.`,
  });
}

function invalid(message: string, details: Readonly<Record<string, unknown>>): TopologyError {
  return new TopologyError(message, { details });
}
