import { type TopicPartition, topicPartitionKey } from '../model/topic-partition.js';
import type { AssignmentInput } from './task-assignor.js';

/** How many of the partitions somebody in that zone reads from another one; of who knows no zone, all. KIP-925. */
export function readAcross(
  { partitionZones }: Pick<AssignmentInput, 'partitionZones'>,
  partitions: readonly TopicPartition[],
  zone: string | undefined,
): number {
  const isNear = (at: TopicPartition): boolean =>
    zone !== undefined && partitionZones?.get(topicPartitionKey(at))?.includes(zone) === true;
  return partitions.filter((at) => !isNear(at)).length;
}
