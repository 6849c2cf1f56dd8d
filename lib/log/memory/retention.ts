/** Which whole segments are too old or too many. Kafka: `UnifiedLog.deleteOldSegments`. */
import type { PartitionLog } from './partition-log.js';

/**
 * Where the log should start by `retention.ms` (by the records' own timestamps) and `retention.bytes`; null if it may stay.
 * Only segments that end at or below the last stable offset go.
 */
export function retainedFrom(partition: PartitionLog, nowMs: number): number | null {
  if (!partition.settings.deleteOld) return null;
  const expired = Math.max(expiredSegments(partition, nowMs), surplusSegments(partition));
  const from = expired === 0 ? 0 : partition.segmentEnd(expired - 1);
  return from > partition.logStartOffset ? from : null;
}

/** How many segments, from the oldest, hold nothing younger than the retention; the active one may be among them. */
function expiredSegments(partition: PartitionLog, nowMs: number): number {
  const { segments, settings } = partition;
  let count = 0;
  for (const segment of segments) {
    const isExpired = segment.batches.length === 0 || nowMs - segment.maxTimestampMs > settings.retentionMs;
    if (!isExpired || partition.segmentEnd(count) > partition.lastStableOffset) break;
    count += 1;
  }
  return count;
}

/** How many segments, from the oldest, can go while `retention.bytes` are left; never the active one. */
function surplusSegments(partition: PartitionLog): number {
  const { segments, settings } = partition;
  if (settings.retentionBytes === Number.POSITIVE_INFINITY) return 0;
  let leftBytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let count = 0;
  for (const segment of segments.slice(0, -1)) {
    leftBytes -= segment.sizeBytes;
    if (leftBytes < settings.retentionBytes || partition.segmentEnd(count) > partition.lastStableOffset) break;
    count += 1;
  }
  return count;
}
