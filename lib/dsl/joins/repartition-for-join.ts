import { mergeableRepartitionNode, repartitionNames } from '../repartition.js';
import type { GraphNode } from '../streams-graph.js';
import type { StreamParts, Wiring } from '../wiring.js';

/** The repartition of a stream that nobody named, shared by all its joins. */
const shared = new WeakMap<StreamParts<never, never>, GraphNode>();

/**
 * The stream as a join can read it: partitioned by its key as it is now. Kafka: `repartitionForJoin`.
 *
 * The topic is named after the join, or else after the stream's own operator: joins without a name share one.
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
  const isShared = name === parts.node.name;
  const before = isShared ? shared.get(parts as StreamParts<never, never>) : undefined;
  const node = before ?? graph.add(mergeableRepartitionNode(parts.node, names, { name, key, value }));
  if (isShared) shared.set(parts as StreamParts<never, never>, node);
  return { node, key, value, keyChanged: false };
}
