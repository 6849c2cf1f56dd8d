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
  /** All topics read, internal ones without prefix. */
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
  /** False where a source topic is read again instead (topology optimisation, global stores). */
  readonly internal: boolean;
}

export interface Topology {
  readonly nodes: ReadonlyMap<string, TopologyNode>;
  readonly children: ReadonlyMap<string, readonly string[]>;
  readonly stores: ReadonlyMap<string, StoreSpec>;
  readonly subTopologies: readonly SubTopology[];
  readonly repartitionTopics: ReadonlyMap<string, RepartitionTopic>;
  readonly changelogs: ReadonlyMap<string, Changelog>;
  /** Sets of topics (unprefixed) that must have one partition count. */
  readonly copartitionGroups: readonly (readonly string[])[];
  /** Kafka Streams' text. */
  describe(): string;
}
