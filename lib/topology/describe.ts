/**
 * The text of a topology, letter for letter that of Kafka Streams 4.1 (`Topology.describe()`).
 *
 * Its order is by size of the sub-tree below a node, greatest first, then by name. Predecessors and successors keep the place
 * that the sizes known at the time gave them while the graph was being joined, in the order of a Java hash map: so that is
 * how it is done here.
 */
import { javaHashSetOrder } from './java-hash-order.js';
import { JavaTreeSet } from './java-tree-set.js';
import type { SourceNode, TopologyNode } from './node.js';
import { compareNames } from './node-groups.js';

/** A group of joined nodes, as numbered. */
export interface DescribedGroup {
  readonly id: number;
  /** Whether it is a global store with its source and its processor. */
  readonly isGlobal: boolean;
  /** In the order in which the group was collected. */
  readonly nodes: readonly string[];
}

/** The whole text. */
export function describeTopology(groups: readonly DescribedGroup[], nodes: ReadonlyMap<string, TopologyNode>): string {
  return `Topologies:\n ${groups.map((group) => `  ${describeGroup(group, nodes)}`).join('')}`;
}

class DescribedNode {
  readonly node: TopologyNode;
  size = 1;
  readonly predecessors = new JavaTreeSet<DescribedNode>(bySizeThenName);
  readonly successors = new JavaTreeSet<DescribedNode>(bySizeThenName);

  constructor(node: TopologyNode) {
    this.node = node;
  }

  grow(by: number): void {
    this.size += by;
    for (const predecessor of this.predecessors) predecessor.grow(by);
  }

  toString(): string {
    const { node } = this;
    const successors = `\n      --> ${names(this.successors)}`;
    const predecessors = `\n      <-- ${names(this.predecessors)}`;
    switch (node.kind) {
      case 'source':
        return `Source: ${node.name} (topics: ${topicsOf(node)})${successors}`;
      case 'processor':
        return `Processor: ${node.name} (stores: [${javaHashSetOrder(node.stores).join(', ')}])${successors}${predecessors}`;
      case 'sink':
        return `Sink: ${node.name} (${target(node.topic)})${predecessors}`;
    }
  }
}

function topicsOf({ topics, pattern }: SourceNode): string {
  return pattern === undefined ? `[${javaHashSetOrder(topics).join(', ')}]` : pattern.source;
}

function target(topic: string | { readonly name: string }): string {
  return typeof topic === 'string' ? `topic: ${topic}` : `extractor class: ${topic.name}`;
}

function describeGroup(group: DescribedGroup, nodes: ReadonlyMap<string, TopologyNode>): string {
  const described = new Map<string, DescribedNode>();
  for (const name of javaHashSetOrder(group.nodes)) {
    const node = nodes.get(name);
    if (node !== undefined) described.set(name, new DescribedNode(node));
  }
  for (const entry of described.values()) {
    if (entry.node.kind === 'source') continue;
    for (const parent of entry.node.parents) {
      const predecessor = described.get(parent);
      if (predecessor !== undefined) join(predecessor, entry);
    }
  }
  const lines = [...described.values()].sort(bySizeThenName).map((entry) => `    ${entry}\n`);
  if (group.isGlobal) return `Sub-topology: ${group.id} for global store (will not generate tasks)\n${lines.join('')}`;
  return `Sub-topology: ${group.id}\n${lines.join('')}\n`;
}

function join(predecessor: DescribedNode, successor: DescribedNode): void {
  successor.predecessors.add(predecessor);
  predecessor.successors.add(successor);
  predecessor.grow(successor.size);
}

function bySizeThenName(a: DescribedNode, b: DescribedNode): number {
  return b.size - a.size || compareNames(a.node.name, b.node.name);
}

function names(nodes: Iterable<DescribedNode>): string {
  return [...nodes].map(({ node }) => node.name).join(', ') || 'none';
}
