import type { TopicDescription } from '../../log.js';
import type { NodeAddress, PartitionMetadata } from '../requests/metadata.js';

/** Where the replicas of a topic are, by the racks that brokers name; nothing where none does. */
export function replicaRacksOf(
  partitions: readonly PartitionMetadata[],
  nodes: readonly NodeAddress[],
): Pick<TopicDescription, 'replicaRacks'> {
  const rackOf = new Map(nodes.flatMap(({ nodeId, rack }) => (rack === undefined ? [] : [[nodeId, rack] as const])));
  if (rackOf.size === 0) return {};
  const racks: (readonly string[])[] = partitions.map(() => []);
  for (const { partition, replicas } of partitions) {
    racks[partition] = [...new Set(replicas.flatMap((nodeId) => rackOf.get(nodeId) ?? []))];
  }
  return { replicaRacks: racks };
}
