import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { ProcessorSupplier } from '../processor/processor.js';
import type { Serde } from '../serde/serde.js';
import { isSameReset } from '../topology/offset-reset.js';
import type { StoreSpec } from '../topology/store-spec.js';
import { patternText } from '../topology/topic-patterns.js';
import type { Topology } from '../topology/topology.js';
import {
  expectStore,
  listOf,
  type Names,
  type SourceOptions,
  type TopologyBuilder,
} from '../topology/topology-builder.js';
import { Branched } from './branched.js';
import { buildGraph } from './build-graph.js';
import { expectSerdes } from './expect-serdes.js';
import type { GlobalKTable, GlobalStoreOptions, GlobalTableOptions } from './global-ktable.js';
import { globalStore, globalTable } from './global-table.js';
import { GroupedStream } from './grouped-stream.js';
import { GroupedTable } from './grouped-table.js';
import { joinable } from './joinable.js';
import { keptOnDemand } from './kept-on-demand.js';
import { PREFIX } from './names.js';
import { BUILDER, checkOptions } from './operator-options.js';
import type { BuildOptions } from './optimization.js';
import type { StreamOptions, TableOptions } from './options.js';
import { Stream } from './stream.js';
import type { KStream, KTable } from './streams.js';
import { aliasOf, type GraphNode, StreamsGraph, type WriteContext } from './streams-graph.js';
import { Table } from './table.js';
import type { Wiring } from './wiring.js';

interface StreamSource {
  readonly node: GraphNode;
  readonly options: StreamOptions<unknown, unknown>;
}

/**
 * Builds a topology from streams and tables. Kafka: `StreamsBuilder`.
 *
 * @example
 * const builder = new StreamsBuilder();
 * builder
 *   .stream('lines', { key: string(), value: string() })
 *   .flatMapValues((line) => line.split(' '))
 *   .groupBy((_, word) => word)
 *   .count({ store: 'counts' })
 *   .toStream()
 *   .to('counts');
 * export default defineApp({ applicationId: 'word-count', topology: builder.build() });
 */
export class StreamsBuilder {
  private readonly graph = new StreamsGraph();
  private readonly wiring: Wiring = wire(this.graph);
  /** By their topics: a second stream of the same topics shares the node of the first. */
  private readonly streamSources = new Map<string, StreamSource>();

  /**
   * A stream of the records of one topic or several, or of all topics whose whole name matches a pattern: those that there are, and those
   * that come later, which the next run of the scheduler finds. The application's internal topics and dead letters never match.
   *
   * Streams of the same topics, or of one pattern, read them once: they must agree on serdes, timestamps and reset policy.
   *
   * @example
   * builder.stream(/orders-.+/, { key: string(), value: json<Order>() });
   * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if no topic is named, two streams of it disagree, or a pattern matches a topic that
   *   is read by its name; two patterns that match one topic are refused when there is one
   */
  stream<K, V>(topics: Names | RegExp, options: StreamOptions<K, V>): KStream<K, V> {
    const read = topics instanceof RegExp ? topics : [...new Set(listOf(topics))];
    if (Array.isArray(read) && read.length === 0)
      throw new TopologyError('a stream reads no topic', { remedy: 'Name the topic to read.' });
    const names = Array.isArray(read) ? read : [patternText(read)];
    expectSerdes(names.join(', '), options);
    const name = this.graph.names.orGenerated(options.name, PREFIX.source);
    const { key, value } = options;
    const topicsRead = JSON.stringify([...names].sort());
    const shared = this.streamSources.get(topicsRead);
    if (shared !== undefined) {
      expectAgreement(names, shared.options, options as StreamOptions<unknown, unknown>);
      return this.wiring.stream({ node: aliasOf(shared.node), key, value, keyChanged: false });
    }
    const node = this.graph.add({
      name,
      parents: [],
      source: name,
      write: (builder) => void builder.addSource(name, read, sourceOptions(options)),
    });
    this.streamSources.set(topicsRead, { node, options: options as StreamOptions<unknown, unknown> });
    return this.wiring.stream({ node, key, value, keyChanged: false });
  }

  /**
   * A table of the latest value by key of one topic: null deletes a row, records without key are dropped.
   *
   * It is kept in a store if one is named here, or if something after it asks for the rows as they were.
   */
  table<K, V>(topic: string, options: TableOptions<K, V>): KTable<K, V> {
    const { names } = this.graph;
    expectOneTopic(topic, 'table');
    expectSerdes(topic, options);
    const { key, value, store: named } = options;
    const store = named ?? names.store(`${topic}-`);
    const source = names.suffixedOrGenerated(options.name, '-source', PREFIX.source);
    const name = names.orGenerated(options.name, PREFIX.tableSource);
    const reads = {
      source,
      addSource: (builder: TopologyBuilder) => void builder.addSource(source, topic, sourceOptions(options)),
      afterStore(builder: TopologyBuilder, { reuseSourceTopics }: WriteContext) {
        if (reuseSourceTopics && options.ttl === undefined) builder.connectSourceStoreAndTopic(store, topic);
      },
    };
    return keptOnDemand(this.wiring, { name, parents: [], reads, store, key, value, options });
  }

  /**
   * A table of the latest value by key of one topic that every member holds whole: streams are joined with it by any key, and every
   * processor may read its store. Rows are as of what a member has read: all that was committed when it began, and what came since.
   */
  globalTable<K, V>(topic: string, options: GlobalTableOptions<K, V>): GlobalKTable<K, V> {
    expectOneTopic(topic, 'global table');
    return globalTable(this.graph, topic, options);
  }

  /**
   * Adds a store that every member holds whole, kept from a topic by a processor of its own, which alone may write to it. Any other
   * processor may read it by its name, without being connected.
   *
   * The processor sees every record of all partitions, those of one partition in order, and sees them again whenever a member loads
   * the store: it writes what follows from the records alone. It has no children, no punctuations and no stream time.
   *
   * @example
   * const rates = keyValueStore({ name: 'rates', key: string(), value: double() });
   * builder.addGlobalStore(rates, 'rates', { key: string(), value: double() }, () => new KeepRates());
   */
  addGlobalStore<K, V>(
    store: StoreSpec,
    topic: string,
    options: GlobalStoreOptions<K, V>,
    supplier: ProcessorSupplier<K, V>,
  ): this {
    expectOneTopic(topic, 'global store');
    expectStore(store);
    globalStore(this.graph, topic, { store, options, supplier });
    return this;
  }

  /** Adds a store for `process` and `processValues`, which name it in `stores`. Adding one twice does no harm. */
  addStateStore(store: StoreSpec): this {
    expectStore(store);
    this.graph.add({
      name: store.name,
      parents: [],
      write: (builder) => void builder.addStateStore(store),
    });
    return this;
  }

  /**
   * The finished topology. May be called again; operators added later are not in an earlier one. Kafka: `build(Properties)`.
   *
   * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY naming the node, store or topic that breaks a rule
   */
  build(options: BuildOptions = {}): Topology {
    return buildGraph(this.graph, options);
  }
}

checkOptions(StreamsBuilder, BUILDER);

function wire(graph: StreamsGraph): Wiring {
  const wiring: Wiring = {
    graph,
    stream(parts) {
      return joinable(new Stream(wiring, parts), { kind: 'stream', graph, parts: parts as never });
    },
    table(parts) {
      return joinable(new Table(wiring, parts), { kind: 'table', graph, parts: parts as never });
    },
    groupedStream: (parts) => new GroupedStream(wiring, parts),
    groupedTable: (parts) => new GroupedTable(wiring, parts),
    branched: (parts) => new Branched(wiring, parts),
  };
  return wiring;
}

function sourceOptions<K, V>(options: StreamOptions<K, V>): SourceOptions<K, V> {
  const { key, value, timestampExtractor, offsetReset } = options;
  return {
    key,
    value,
    ...(timestampExtractor === undefined ? {} : { timestampExtractor }),
    ...(offsetReset === undefined ? {} : { offsetReset }),
  };
}

/** Kafka has no tables of a pattern either: rows of several topics would overwrite each other. */
function expectOneTopic(topic: unknown, what: string): void {
  if (typeof topic === 'string') return;
  throw new TopologyError(
    `a ${what} reads one topic, not ${topic instanceof RegExp ? patternText(topic) : kindOfValue(topic)}`,
    {
      details: { topic: String(topic) },
      remedy: 'Name the topic to read; a stream of several may be made a table with toTable.',
    },
  );
}

function expectAgreement(
  topics: readonly string[],
  first: StreamOptions<unknown, unknown>,
  second: StreamOptions<unknown, unknown>,
): void {
  const differing = [
    sameBytes(first.key, second.key) ? [] : ['key'],
    sameBytes(first.value, second.value) ? [] : ['value'],
    first.timestampExtractor === second.timestampExtractor ? [] : ['timestampExtractor'],
    isSameReset(first.offsetReset, second.offsetReset) ? [] : ['offsetReset'],
  ].flat();
  if (differing.length === 0) return;
  throw new TopologyError(`two streams read ${topics.join(', ')} with different ${differing.join(', ')}`, {
    details: { topics, differing },
    remedy: 'Give both streams the same options (the same serde object), or use one stream twice.',
  });
}

function sameBytes(first: Serde<unknown>, second: Serde<unknown>): boolean {
  return first === second || (first.format !== undefined && first.format === second.format);
}
