/** Reading several partitions under one bound of bytes, and waiting for the first news. */
import type { Offset } from '../../model/offset.js';
import type { FetchOptions, FetchRequest, FetchResult } from '../log.js';
import type { PartitionLog } from './partition-log.js';

export interface PartitionRequest {
  readonly request: FetchRequest;
  readonly partition: PartitionLog;
}

/**
 * Reads each partition once, beginning with request `startAt` so that no partition is always first. Each gets an equal share
 * of the bytes that are left; what one does not use goes to those after it.
 */
export function readPartitions(
  wanted: readonly PartitionRequest[],
  options: Pick<FetchOptions, 'isolation' | 'maxBytes'>,
  startAt: number,
): readonly FetchResult[] {
  const results: FetchResult[] = [];
  let bytesLeft = options.maxBytes;
  let isEmpty = true;
  for (let count = 0; count < wanted.length; count += 1) {
    const { request, partition } = wanted[(startAt + count) % wanted.length] as PartitionRequest;
    const read = partition.read(request.fromOffset, {
      isolation: options.isolation,
      maxBytes: Math.max(0, Math.floor(bytesLeft / (wanted.length - count))),
      atLeastOne: isEmpty,
    });
    bytesLeft -= read.sizeBytes;
    if (read.records.size > 0) isEmpty = false;
    results.push({
      topic: request.topic,
      partition: request.partition,
      records: read.records,
      nextOffset: read.nextOffset as Offset,
      logStartOffset: partition.logStartOffset,
      highWatermark: partition.endOffset,
      lastStableOffset: partition.lastStableOffset,
    });
  }
  return results;
}

/** Whether an answer takes the reader any further. */
export function hasNews(results: readonly FetchResult[], requests: readonly FetchRequest[]): boolean {
  if (results.some(({ records }) => records.size > 0)) return true;
  const from = new Map<string, number>();
  for (const { topic, partition, fromOffset } of requests) {
    const key = `${topic}-${partition}`;
    from.set(key, Math.min(fromOffset, from.get(key) ?? fromOffset));
  }
  return results.some(({ topic, partition, nextOffset }) => nextOffset > (from.get(`${topic}-${partition}`) ?? 0));
}
