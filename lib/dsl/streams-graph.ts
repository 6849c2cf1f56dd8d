/**
 * What the operators of one builder have asked for so far, before it becomes a topology. Kafka: `InternalStreamsBuilder`.
 *
 * Lowering (build-graph.ts) waits until `build`, because later operators change earlier ones: a table's source keeps a store only
 * if somebody asks for its old values.
 */
import type { Serde } from '../serde/serde.js';
import type { TopologyBuilder } from '../topology/topology-builder.js';
import { NameSequence } from './names.js';

/** One operator: one node of the topology or several that belong together. */
export interface GraphNode {
  /** The node of the topology that forwards to the operator's children. */
  readonly name: string;
  readonly parents: readonly GraphNode[];
  /** The topology's source node with which it begins: what feeds it from above comes through a topic. */
  readonly source?: string;
  /** Tables whose rows it looks up. */
  readonly lookups?: readonly GraphNode[];
  /** Whether all topics that feed it, its parents and its lookups, need one partition count. Kafka: `ensureCopartitionWith`. */
  readonly copartitions?: boolean;
  /** The node that is meant by this one, which is not written itself. Made by {@link aliasOf}. */
  readonly aliasOf?: GraphNode;
  /** What Kafka Streams asks to have one partition count instead: topics further above. */
  readonly copartitioned?: readonly GraphNode[];
  /** Whether Kafka Streams forgets here which topics feed what comes below, so that a join does not ask for their counts. */
  readonly forgetsSources?: boolean;
  /** Whether records may leave with another key: what is grouped by it has to move. Kafka: `isKeyChangingOperation`. */
  readonly changesKey?: boolean;
  /** Whether records may leave with another value. Kafka: `isValueChangingOperation`. */
  readonly changesValue?: boolean;
  /** Whether streams meet here. Kafka: `isMergeNode`. */
  readonly merges?: boolean;
  /** The repartition topic of an operator that needed one, which may be merged with others. Kafka: `OptimizableRepartitionNode`. */
  readonly repartitions?: Repartitioned;
  /**
   * Whether records without key go through here, as through a left or outer join (KIP-962): then no repartition topic above drops
   * them. Kafka: the label `NULL_KEY_RELAXED_JOIN`.
   */
  readonly takesNullKeys?: boolean;
  /** Of a windowed aggregation: how long after its end a window may still change. Kafka: `GracePeriodGraphNode`. */
  readonly windowGraceMs?: number;
  /** Adds the operator's nodes, given the names of its parents' nodes. */
  write(builder: TopologyBuilder, parents: readonly string[], context: WriteContext): void;
}

/** A repartition topic, and what its records are written with. */
export interface Repartitioned {
  /** Without the application's prefix. */
  readonly topic: string;
  readonly key: Serde<unknown>;
  readonly value: Serde<unknown>;
}

/** What an operator has to know of the whole when it is written. */
export interface WriteContext {
  /** Whether an operator below takes records without key. */
  readonly keepsNullKeys: boolean;
  /** Whether a table's source topic serves as its changelog. */
  readonly reuseSourceTopics: boolean;
  /** Whether a stream that is joined with itself is kept once. */
  readonly singleStoreSelfJoins: boolean;
}

/** Another stream of a node's records, of whose source Kafka Streams does not know. */
export function aliasOf(node: GraphNode): GraphNode {
  return { name: node.name, parents: [], aliasOf: node, write: () => undefined };
}

export class StreamsGraph {
  readonly names = new NameSequence();
  /** In the order in which they were first added. */
  readonly added = new Set<GraphNode>();
  /** In the order in which they are written; a node that was added again stands last. */
  readonly nodes = new Set<GraphNode>();

  add(node: GraphNode): GraphNode {
    this.added.add(node);
    this.nodes.delete(node);
    this.nodes.add(node);
    return node;
  }
}
