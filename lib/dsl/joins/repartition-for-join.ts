import { mergeableRepartitionNode, repartitionNames } from '../repartition.js';
import { aliasOf, type GraphNode } from '../streams-graph.js';
import type { StreamParts, Wiring } from '../wiring.js';

/** The repartition that a stream's joins have come to last. */
const latest = new WeakMap<StreamParts<never, never>, GraphNode>();

/**
 * The stream as a join can read it: partitioned by its key as it is now. Kafka: `repartitionForJoin`.
 *
 * The topic is named after the join. One without a name shares the topic of the join before it, whatever that is called; the first
 * of its stream has one that is named after the stream's own operator.
 */
export function repartitionedForJoin<K, V>(
  wiring: Wiring,
  parts: StreamParts<K, V>,
  joinName: string | undefined,
): StreamParts<K, V> {
  if (!parts.keyChanged) return parts;
  const { graph } = wiring;
  const { key, value } = parts;
  const name = joinName ?? parts.node.name;
  const names = repartitionNames(graph, name); // numbers are taken also where the topic is shared
  const before = name === parts.node.name ? latest.get(parts as StreamParts<never, never>) : undefined;
  const node = before ?? graph.add(mergeableRepartitionNode(parts.node, names, { name, key, value }));
  latest.set(parts as StreamParts<never, never>, node);
  return { node: node.source === names.source ? node : aliasOf(node), key, value, keyChanged: false };
}
