/** The operators of a builder as they are about to be written: a copy, in which optimisations may move them. */
import { TopologyError } from '../model/errors.js';
import type { TopologyBuilder } from '../topology/topology-builder.js';
import type { GraphNode, WriteContext } from './streams-graph.js';

/** An operator and its place. */
export interface PlannedNode {
  readonly of: GraphNode;
  /** Of the nodes that may be written the one with the least is the next. Kafka: `buildPriority`. */
  readonly priority: number;
  /** In the order in which the operator knows them. */
  readonly parents: Set<PlannedNode>;
  readonly children: Set<PlannedNode>;
}

export class GraphPlan {
  private readonly nodes = new Map<GraphNode, PlannedNode>();

  /**
   * @param added in the order in which operators were first added
   * @param last the same ones in the order in which they were added last: that of writing
   */
  constructor(added: Iterable<GraphNode>, last: Iterable<GraphNode>) {
    const priorities = new Map([...last].map((node, priority) => [node, priority]));
    for (const node of added) this.insert(node, priorities.get(node) ?? 0);
    for (const node of this.nodes.values()) {
      for (const parent of node.of.parents) {
        const planned = this.nodes.get(parent);
        if (planned !== undefined) this.connect(planned, node);
      }
    }
  }

  /** All nodes, in the order in which they were first added. */
  inOrder(): readonly PlannedNode[] {
    return [...this.nodes.values()];
  }

  insert(of: GraphNode, priority: number): PlannedNode {
    const node: PlannedNode = { of, priority, parents: new Set(), children: new Set() };
    this.nodes.set(of, node);
    return node;
  }

  connect(parent: PlannedNode, child: PlannedNode): void {
    parent.children.add(child);
    child.parents.add(parent);
  }

  disconnect(parent: PlannedNode, child: PlannedNode): void {
    parent.children.delete(child);
    child.parents.delete(parent);
  }

  /** Takes a node out; its parents take its place with each of its children. */
  bypass(node: PlannedNode): void {
    for (const child of node.children) {
      const parents = [...child.parents].flatMap((parent) => (parent === node ? [...node.parents] : [parent]));
      child.parents.clear();
      for (const parent of parents) this.connect(parent, child);
    }
    for (const parent of node.parents) parent.children.delete(node);
    this.nodes.delete(node.of);
  }

  /** Adds the nodes of all operators to a topology, parents first. */
  write(builder: TopologyBuilder, context: Omit<WriteContext, 'keepsNullKeys'>): void {
    const keepers = this.keepersOfNullKeys();
    const written = new Set<PlannedNode>();
    const open = [...this.nodes.values()].sort((a, b) => a.priority - b.priority);
    while (open.length > 0) {
      const at = open.findIndex(({ parents }) => [...parents].every((parent) => written.has(parent)));
      const [node] = open.splice(at, 1);
      if (at < 0 || node === undefined) throw new TopologyError('the operators of the topology form a circle');
      const parents = [...node.parents].map(({ of }) => of.name);
      node.of.write(builder, parents, { ...context, keepsNullKeys: keepers.has(node) });
      written.add(node);
    }
    for (const node of this.inOrder()) {
      if (node.of.copartitions !== true) continue;
      const above = node.of.copartitioned?.flatMap((other) => this.nodes.get(other) ?? []) ?? this.above(node);
      builder.copartitionSources(...this.sourcesOfAll(above, (of) => of.forgetsSources === true));
      builder.copartitionUnasked(...this.sourcesOfAll(this.above(node), () => false));
    }
  }

  /** What feeds a node: its parents and its lookups. */
  private above(node: PlannedNode): readonly PlannedNode[] {
    return [...node.parents, ...(node.of.lookups ?? []).flatMap((table) => this.nodes.get(table) ?? [])];
  }

  /** Names of the source nodes that feed nodes without a topic in between. Kafka: `subTopologySourceNodes`. */
  private sourcesOfAll(nodes: readonly PlannedNode[], ends: (node: GraphNode) => boolean): readonly string[] {
    const sources = nodes.flatMap((node): readonly string[] => {
      if (ends(node.of)) return [];
      return node.of.source === undefined ? this.sourcesOfAll(this.above(node), ends) : [node.of.source];
    });
    return [...new Set(sources)];
  }

  /** All that lies above an operator that takes records without key. Kafka: `NodesWithRelaxedNullKeyJoinDownstream`. */
  private keepersOfNullKeys(): ReadonlySet<PlannedNode> {
    const keepers = new Set<PlannedNode>();
    const open = [...this.nodes.values()].filter(({ of }) => of.takesNullKeys === true);
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const parent of node.parents) {
        if (!keepers.has(parent)) open.push(parent);
        keepers.add(parent);
      }
    }
    return keepers;
  }
}
