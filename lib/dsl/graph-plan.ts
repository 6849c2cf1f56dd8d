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
  private readonly replacedSources = new Map<string, string>();

  /**
   * @param added in the order in which operators were first added
   * @param last the same ones in the order in which they were added last: that of writing
   */
  constructor(added: Iterable<GraphNode>, last: Iterable<GraphNode>) {
    const priorities = new Map([...last].map((node, priority) => [node, priority]));
    for (const node of added) this.insert(node, priorities.get(node) ?? 0);
    for (const node of this.nodes.values()) {
      for (const parent of node.of.parents) {
        const planned = this.nodes.get(parent.aliasOf ?? parent);
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

  /** From now on another source is meant by that of a node. Kafka: `maybeUpdateCopartitionSourceGroups`. */
  replaceSource(node: PlannedNode, by: PlannedNode): void {
    if (node.of.source !== undefined && by.of.source !== undefined)
      this.replacedSources.set(node.of.source, by.of.source);
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
      const asked = node.of.copartitioned ?? [...node.of.parents, ...(node.of.lookups ?? [])];
      builder.copartitionSources(...new Set(asked.flatMap((above) => this.knownSources(above))));
      builder.copartitionUnasked(...new Set(this.above(node).flatMap((above) => this.sources(above))));
    }
  }

  /** What feeds a node: its parents and its lookups. */
  private above(node: PlannedNode): readonly PlannedNode[] {
    return [...node.parents, ...(node.of.lookups ?? []).flatMap((table) => this.nodes.get(table) ?? [])];
  }

  /** Names of the source nodes that feed a node without a topic in between. */
  private sources(node: PlannedNode): readonly string[] {
    return node.of.source === undefined ? this.above(node).flatMap((each) => this.sources(each)) : [node.of.source];
  }

  /**
   * Those of which Kafka Streams knows: as the operators were added, in whatever order optimisations have put them.
   * Kafka: `subTopologySourceNodes`.
   */
  private knownSources(of: GraphNode): readonly string[] {
    if (of.aliasOf !== undefined || of.forgetsSources === true) return [];
    if (of.source !== undefined) return [this.replacedSources.get(of.source) ?? of.source];
    return [...of.parents, ...(of.lookups ?? [])].flatMap((above) => this.knownSources(above));
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
