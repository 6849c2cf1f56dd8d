/**
 * One partition: segments of batches, where it starts and ends, and which transactions are open in it.
 *
 * Invariants
 *   P1  logStartOffset ≤ lastStableOffset ≤ endOffset; none of them ever goes back
 *   P2  segments and their batches are in order of offsets and do not overlap; gaps are what compaction emptied
 *   P3  a batch is `open` exactly while its producer has an open transaction here
 */

import { OffsetOutOfRangeError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import type { RecordSet } from '../../model/record-set.js';
import type { IsolationLevel } from '../log.js';
import { type Batch, indexFrom, type Measure, makeBatch, NO_COLUMNS, offsetAt, type StoredColumns } from './batch.js';
import { coalesce } from './coalesce.js';
import { type BatchSlice, joined } from './columns.js';
import { firstIndex, Segment } from './segment.js';
import type { TopicSettings } from './topic-config.js';
import { Waiters } from './waiters.js';

/** A batch of at least this size is answered by reference and alone; smaller ones are put together. */
const LARGE_BATCH_BYTES = 64 * 1024;
/** Columns count bytes in 32 bits: no answer is larger than this, whatever was asked for. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;
/** After so many appended batches the small ones among them are put together. */
const COALESCE_EVERY_BATCHES = 256;

interface OpenTransaction {
  readonly firstOffset: number;
  readonly batches: Batch[];
}

export interface ReadLimits {
  readonly isolation: IsolationLevel;
  readonly maxBytes: number;
  /** Whether one record has to come even if it is larger than `maxBytes`. */
  readonly atLeastOne: boolean;
}

export interface PartitionRead {
  readonly records: RecordSet;
  readonly nextOffset: number;
  readonly sizeBytes: number;
}

export class PartitionLog {
  readonly topic: string;
  readonly partition: number;
  readonly settings: TopicSettings;
  /** Woken when there is news for a reader at `readUncommitted`, at `readCommitted`. */
  readonly waiters: Readonly<Record<IsolationLevel, Waiters>> = {
    readUncommitted: new Waiters(),
    readCommitted: new Waiters(),
  };
  segments: Segment[] = [];
  /** First offset that compaction has not yet looked at. */
  cleanedUpTo = 0;
  private startOffset = 0;
  private end = 0;
  private readonly open = new Map<number, OpenTransaction>();
  private batchesSinceCoalescing = 0;

  constructor(topic: string, partition: number, settings: TopicSettings) {
    this.topic = topic;
    this.partition = partition;
    this.settings = settings;
  }

  get logStartOffset(): Offset {
    return this.startOffset as Offset;
  }

  /** The high watermark: nothing here waits for replication. */
  get endOffset(): Offset {
    return this.end as Offset;
  }

  get lastStableOffset(): Offset {
    // Transactions enter the map at their first append, so that the first one is the oldest.
    for (const { firstOffset } of this.open.values()) return Math.max(this.startOffset, firstOffset) as Offset;
    return this.end as Offset;
  }

  /** Appends records, as part of an open transaction if a producer is given. */
  append(columns: StoredColumns, producerId: number | null, nowMs: number, measured?: Measure): void {
    const nextOffset = this.end + columns.size;
    const state = producerId === null ? 'committed' : 'open';
    this.store(
      makeBatch(columns, { baseOffset: this.end, nextOffset, state, appendedAtMs: nowMs }, measured),
      producerId,
    );
    this.wake(producerId === null && this.open.size === 0);
  }

  /** Puts a batch at the end, as it is. */
  store(batch: Batch, producerId: number | null): void {
    this.segmentFor(batch).add(batch);
    this.end = batch.nextOffset;
    if (producerId !== null) {
      const transaction = this.open.get(producerId);
      if (transaction === undefined) this.open.set(producerId, { firstOffset: batch.baseOffset, batches: [batch] });
      else transaction.batches.push(batch);
    }
    this.batchesSinceCoalescing += 1;
    if (this.batchesSinceCoalescing >= COALESCE_EVERY_BATCHES) {
      this.batchesSinceCoalescing = 0;
      const active = this.segments.at(-1);
      if (active !== undefined) coalesce(active);
    }
  }

  /** Writes the marker that ends a producer's transaction here; a no-op if it has none. */
  endTransaction(producerId: number, outcome: 'commit' | 'abort', nowMs: number): void {
    const transaction = this.open.get(producerId);
    if (transaction === undefined) return;
    for (const batch of transaction.batches) batch.state = outcome === 'commit' ? 'committed' : 'aborted';
    this.open.delete(producerId);
    const at = { baseOffset: this.end, nextOffset: this.end + 1, state: 'marker', appendedAtMs: nowMs } as const;
    this.store(makeBatch(NO_COLUMNS, at), null);
    this.wake(true);
  }

  /**
   * Reads on from an offset.
   *
   * @throws {OffsetOutOfRangeError} STREAMS_OFFSET_OUT_OF_RANGE
   */
  read(fromOffset: number, limits: ReadLimits): PartitionRead {
    this.checkInRange(fromOffset);
    const committedOnly = limits.isolation === 'readCommitted';
    const limit = committedOnly ? this.lastStableOffset : this.end;
    const maxBytes = Math.min(limits.maxBytes, MAX_ANSWER_BYTES);
    const slices: BatchSlice[] = [];
    let sizeBytes = 0;
    let position = fromOffset;
    for (const batch of this.batchesFrom(fromOffset, limit)) {
      if (committedOnly && batch.state === 'open') break;
      const from = indexFrom(batch, position);
      if (batch.state === 'marker' || (committedOnly && batch.state === 'aborted') || from >= batch.columns.size) {
        position = batch.nextOffset;
        continue;
      }
      const isLarge = batch.sizeBytes >= LARGE_BATCH_BYTES;
      if (slices.length > 0 && isLarge) return answer(slices, position, sizeBytes);
      const perRecord = batch.sizeBytes / batch.columns.size;
      const fitting = Math.floor((maxBytes - sizeBytes) / perRecord);
      const wanted = Math.max(fitting, limits.atLeastOne && slices.length === 0 ? 1 : 0);
      const to = Math.min(batch.columns.size, from + wanted);
      if (to > from) slices.push({ batch, from, to });
      sizeBytes += (to - from) * perRecord;
      if (to < batch.columns.size) {
        const next = to > from ? offsetAt(batch, to - 1) + 1 : position;
        return answer(slices, next, sizeBytes);
      }
      position = batch.nextOffset;
    }
    return answer(slices, Math.max(fromOffset, limit), sizeBytes);
  }

  /** First offset whose record's time is at or after `timestampMs`; the end if there is none. Kafka: aborted ones count. */
  offsetAtTime(timestampMs: number): Offset {
    for (const segment of this.segments) {
      if (segment.maxTimestampMs < timestampMs) continue;
      for (const batch of segment.batches) {
        if (batch.nextOffset <= this.startOffset || batch.maxTimestampMs < timestampMs) continue;
        for (let index = indexFrom(batch, this.startOffset); index < batch.columns.size; index += 1) {
          if ((batch.columns.timestamps[index] as number) >= timestampMs) return offsetAt(batch, index) as Offset;
        }
      }
    }
    return this.endOffset;
  }

  /**
   * Moves the start of the log up and drops what is below it; a no-op where it starts there or later. A log that is never
   * compacted lets go of single batches, not only of whole segments: nothing holds their place.
   */
  moveLogStart(offset: number): void {
    if (offset <= this.startOffset) return;
    this.startOffset = offset;
    const kept = firstIndex(this.segments.length, (index) => this.segmentEnd(index) > offset);
    if (kept > 0) this.segments = this.segments.slice(kept);
    if (!this.settings.compact) this.segments[0]?.dropBefore(offset);
    this.wake(true);
  }

  /** First offset after segment `index` (exclusive). */
  segmentEnd(index: number): number {
    return this.segments[index + 1]?.baseOffset ?? this.end;
  }

  /** Closes the active segment: the next append begins another. */
  roll(nowMs: number): void {
    if ((this.segments.at(-1)?.batches.length ?? 0) > 0) this.segments.push(new Segment(this.end, nowMs));
  }

  /** Wakes every waiting reader: the partition is gone. */
  wake(stableMoved: boolean): void {
    this.waiters.readUncommitted.wakeAll();
    if (stableMoved) this.waiters.readCommitted.wakeAll();
  }

  /** Producers with an open transaction here, and their batches. */
  openTransactions(): ReadonlyMap<number, { readonly batches: readonly Batch[] }> {
    return this.open;
  }

  checkInRange(offset: number): void {
    if (Number.isSafeInteger(offset) && offset >= this.startOffset && offset <= this.end) return;
    const { topic, partition, startOffset: logStartOffset, end: endOffset } = this;
    throw new OffsetOutOfRangeError(`${topic}-${partition} has [${logStartOffset}, ${endOffset}), not ${offset}`, {
      details: { topic, partition, requestedOffset: offset, logStartOffset, endOffset },
    });
  }

  private segmentFor(batch: Batch): Segment {
    const { segmentBytes, segmentMs } = this.settings;
    const active = this.segments.at(-1);
    if (active !== undefined) {
      const isFull = active.sizeBytes > 0 && active.sizeBytes + batch.sizeBytes > segmentBytes;
      if (!isFull && batch.appendedAtMs - active.createdAtMs < segmentMs) return active;
      if (active.batches.length === 0) return active;
    }
    const segment = new Segment(batch.baseOffset, batch.appendedAtMs);
    this.segments.push(segment);
    return segment;
  }

  private *batchesFrom(fromOffset: number, limit: number): Generator<Batch> {
    const { segments } = this;
    const first = firstIndex(segments.length, (index) => this.segmentEnd(index) > fromOffset);
    for (let at = first; at < segments.length; at += 1) {
      const segment = segments[at] as Segment;
      for (let index = segment.batchFrom(fromOffset); index < segment.batches.length; index += 1) {
        const batch = segment.batches[index] as Batch;
        if (batch.baseOffset >= limit) return;
        yield batch;
      }
    }
  }
}

function answer(slices: readonly BatchSlice[], nextOffset: number, sizeBytes: number): PartitionRead {
  return { records: joined(slices), nextOffset, sizeBytes };
}
