/**
 * Compaction: of each key the last committed record stays. Kafka: `LogCleaner`.
 *
 * Invariants
 *   C1  nothing at or above the last stable offset is looked at, and nothing in the active segment
 *   C2  what stays keeps its offset; what goes leaves a gap that readers pass over (L2)
 *   C3  a tombstone goes in a later run than the first that met it, and not before `delete.retention.ms` after that one; so do
 *       markers. Records of aborted transactions go at once
 *   C4  a run is a sequence of small steps between which the log may be appended to, read and cut at its start
 *   C5  from the first segment on that holds a record younger than `min.compaction.lag.ms` nothing is looked at: histories of
 *       versioned stores need every version that lies within their retention
 */
import { byteKeyAt } from '../../model/byte-key.js';
import { type Batch, makeBatch, offsetAt } from './batch.js';
import { coalesce } from './coalesce.js';
import { pick } from './columns.js';
import type { PartitionLog } from './partition-log.js';
import { Segment } from './segment.js';

/** Share of the closed segments' bytes that no compaction has looked at; Kafka compares it with `min.cleanable.dirty.ratio`. */
export function dirtyRatio(partition: PartitionLog, nowMs: number): number {
  let dirtyBytes = 0;
  let allBytes = 0;
  for (const [index, segment] of cleanable(partition, nowMs).entries()) {
    allBytes += segment.sizeBytes;
    if (partition.segmentEnd(index) > partition.cleanedUpTo) dirtyBytes += segment.sizeBytes;
  }
  return allBytes === 0 ? 0 : dirtyBytes / allBytes;
}

/** Compacts the closed segments. Each step answers how many records it looked at; the caller decides when to go on (C4). */
export function* compact(partition: PartitionLog, nowMs: number): Generator<number> {
  const closed = cleanable(partition, nowMs);
  const next = partition.segments[closed.length];
  if (next === undefined) return;
  const upTo = Math.min(partition.lastStableOffset, next.baseOffset);
  const last = new Map<string, number>();
  for (const segment of closed) yield* findLast(segment, { from: partition.cleanedUpTo, upTo }, last);
  for (const segment of closed) {
    if (!partition.segments.includes(segment)) continue;
    yield* rewrite(segment, { upTo, last, nowMs, deleteRetentionMs: partition.settings.deleteRetentionMs });
    coalesce(segment);
  }
  partition.segments = mergeSegments(partition.segments, partition.settings.segmentBytes);
  partition.cleanedUpTo = upTo;
}

/** The segments that may be looked at (C1, C5). Kafka: `LogCleanerManager.cleanableOffsets`. */
function cleanable(partition: PartitionLog, nowMs: number): readonly Segment[] {
  const closed = partition.segments.slice(0, -1);
  const youngestMs = nowMs - partition.settings.minCompactionLagMs;
  const young = closed.findIndex(
    (segment, index) => partition.segmentEnd(index) > partition.cleanedUpTo && segment.maxTimestampMs > youngestMs,
  );
  return young < 0 || partition.settings.minCompactionLagMs === 0 ? closed : closed.slice(0, young);
}

/** Notes the last offset of each key among committed records of [from, upTo): only those can outdo another one. */
function* findLast(
  segment: Segment,
  range: { readonly from: number; readonly upTo: number },
  last: Map<string, number>,
): Generator<number> {
  for (const batch of [...segment.batches]) {
    if (batch.nextOffset <= range.from || batch.nextOffset > range.upTo || batch.state !== 'committed') continue;
    for (let index = 0; index < batch.columns.size; index += 1) {
      const key = keyOf(batch, index);
      if (key !== null) last.set(key, offsetAt(batch, index));
    }
    yield batch.columns.size;
  }
}

interface Rules {
  readonly upTo: number;
  readonly last: ReadonlyMap<string, number>;
  readonly nowMs: number;
  readonly deleteRetentionMs: number;
}

function* rewrite(segment: Segment, rules: Rules): Generator<number> {
  const kept: Batch[] = [];
  const { batches } = segment;
  for (const batch of batches) {
    const rewritten = batch.nextOffset > rules.upTo ? batch : compactBatch(batch, rules);
    if (rewritten !== null) kept.push(rewritten);
    yield batch.columns.size;
  }
  segment.replace(0, batches.length, kept);
}

/** The batch without what goes: itself if nothing does, null if nothing stays. */
function compactBatch(batch: Batch, rules: Rules): Batch | null {
  if (batch.state === 'aborted') return null;
  const mayDrop = batch.deleteHorizonMs !== null && batch.deleteHorizonMs <= rules.nowMs;
  const horizonMs = batch.deleteHorizonMs ?? rules.nowMs + rules.deleteRetentionMs;
  if (batch.columns.size === 0) return mayDrop ? null : { ...batch, deleteHorizonMs: horizonMs };
  const kept: number[] = [];
  let hasTombstones = false;
  for (let index = 0; index < batch.columns.size; index += 1) {
    const key = keyOf(batch, index);
    if (key !== null && (rules.last.get(key) ?? -1) > offsetAt(batch, index)) continue;
    const isTombstone = (batch.columns.valueStarts[index] as number) < 0;
    if (isTombstone && mayDrop) continue;
    hasTombstones ||= isTombstone;
    kept.push(index);
  }
  if (kept.length === 0) return null;
  const deleteHorizonMs = hasTombstones ? horizonMs : null;
  if (kept.length === batch.columns.size) {
    return deleteHorizonMs === batch.deleteHorizonMs ? batch : { ...batch, deleteHorizonMs };
  }
  return makeBatch(pick(batch, kept), { ...batch, deleteHorizonMs });
}

function keyOf(batch: Batch, index: number): string | null {
  const { keyStarts, keyEnds, bytes } = batch.columns;
  const start = keyStarts[index] as number;
  return start < 0 ? null : byteKeyAt(bytes, start, keyEnds[index] as number);
}

/** Neighbouring closed segments that fit into one become one, so that their number does not grow for ever. */
function mergeSegments(segments: readonly Segment[], segmentBytes: number): Segment[] {
  const merged: Segment[] = [];
  for (const [index, segment] of segments.entries()) {
    const before = merged.at(-1);
    const isActive = index === segments.length - 1;
    if (isActive || before === undefined || before.sizeBytes + segment.sizeBytes > segmentBytes) {
      merged.push(segment);
      continue;
    }
    const both = new Segment(before.baseOffset, before.createdAtMs);
    for (const batch of [...before.batches, ...segment.batches]) both.add(batch);
    merged[merged.length - 1] = both;
  }
  return merged;
}
