/**
 * What the operators of one builder have asked for so far, before it becomes a topology. Kafka: `InternalStreamsBuilder`.
 *
 * Lowering waits until `build`, because later operators change earlier ones: a table's source keeps a store only if somebody
 * asks for its old values.
 */
import { TopologyError } from '../model/errors.js';
import type { Topology } from '../topology/topology.js';
import { TopologyBuilder } from '../topology/topology-builder.js';
import { NameSequence } from './names.js';

/** One operator: one node of the topology or several that belong together. */
export interface GraphNode {
  /** The node of the topology that forwards to the operator's children. */
  readonly name: string;
  readonly parents: readonly GraphNode[];
  /** Adds the operator's nodes, given the names of its parents' nodes. */
  write(builder: TopologyBuilder, parents: readonly string[]): void;
}

export class StreamsGraph {
  readonly names = new NameSequence();
  /** In the order in which they are written; a node that was added again stands last. */
  private readonly nodes = new Set<GraphNode>();

  add(node: GraphNode): GraphNode {
    this.nodes.delete(node);
    this.nodes.add(node);
    return node;
  }

  build(): Topology {
    const builder = new TopologyBuilder();
    const written = new Set<GraphNode>();
    const open = [...this.nodes];
    while (open.length > 0) {
      const at = open.findIndex(({ parents }) => parents.every((parent) => written.has(parent)));
      const [node] = open.splice(at, 1);
      if (at < 0 || node === undefined) throw new TopologyError('the operators of the topology form a circle');
      node.write(
        builder,
        node.parents.map(({ name }) => name),
      );
      written.add(node);
    }
    return builder.build();
  }
}
