/**
 * A compiled topology: nodes, stores, sub-topologies, internal topics. Immutable.
 *
 * Internal topics are named without the application's prefix here, as Kafka Streams' `describe()` prints them;
 * `internalTopicName(applicationId, name)` gives the name on the broker.
 */
import type { TopologyNode } from './node.js';
import type { StoreSpec } from './store-spec.js';

/** A topic that the application owns between two sub-topologies. */
export interface RepartitionTopic {
  /** Without prefix: `counts-repartition`. */
  readonly name: string;
  /** As set by the user (`repartition({ partitions })`), or undefined: then the greatest count upstream. */
  readonly partitions: number | undefined;
}

/** Nodes joined without a topic in between: one task per partition. */
export interface SubTopology {
  readonly id: number;
  /** Names, parents before children. */
  readonly nodes: readonly string[];
  /** All topics read, internal ones without prefix. Of sources with a pattern: those that they were matched with. */
  readonly sourceTopics: readonly string[];
  /** All topics written whose name is known, internal ones without prefix. */
  readonly sinkTopics: readonly string[];
  readonly stores: readonly string[];
}

/** Which stores keep their changelog in which topic, and whether a source topic serves as one. */
export interface Changelog {
  readonly store: string;
  /** Without prefix if `internal`. */
  readonly topic: string;
  /** False where a source topic is read again instead (topology optimisation). */
  readonly internal: boolean;
}

/**
 * A store that every member holds whole: all partitions of its topic go through its one processor, which alone writes to it.
 * It takes the number of a sub-topology and makes no tasks. Kafka: `TopologyDescription.GlobalStore`.
 */
export interface GlobalStore {
  readonly id: number;
  readonly store: string;
  /** As the user named it: never an internal one. */
  readonly topic: string;
  /** Names of its two nodes. */
  readonly source: string;
  readonly processor: string;
}

export interface Topology {
  readonly nodes: ReadonlyMap<string, TopologyNode>;
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** Global ones included. */
  readonly stores: ReadonlyMap<string, StoreSpec>;
  /** In the order of their ids, which have gaps where global stores come in between: {@link subTopologyOf} finds one. */
  readonly subTopologies: readonly SubTopology[];
  /** By store. */
  readonly globalStores: ReadonlyMap<string, GlobalStore>;
  readonly repartitionTopics: ReadonlyMap<string, RepartitionTopic>;
  readonly changelogs: ReadonlyMap<string, Changelog>;
  /** Sets of topics (unprefixed) that must have one partition count, as operators asked for it; `copartitionGroupsOf` joins them. */
  readonly copartitionGroups: readonly (readonly string[])[];
  /** Sets that need one partition count although Kafka Streams does not ask for it. */
  readonly copartitionedUnasked: readonly (readonly string[])[];
  /**
   * This topology with the topics that its sources with a pattern read, by source; `matchTopics` of topic-patterns.ts tells them.
   */
  readAmong(matches: ReadonlyMap<string, readonly string[]>): Topology;
  /** Kafka Streams' text. */
  describe(): string;
}

/** The sub-topology of that id, or undefined: global stores have numbers of the same row. */
export function subTopologyOf({ subTopologies }: Pick<Topology, 'subTopologies'>, id: number): SubTopology | undefined {
  return subTopologies.find((part) => part.id === id);
}
