import type { Batch } from './batch.js';

/** A run of batches: what retention deletes and compaction rewrites as a whole. The last one of a partition is active. */
export class Segment {
  readonly baseOffset: number;
  readonly createdAtMs: number;
  batches: Batch[] = [];
  sizeBytes = 0;
  maxTimestampMs = -1;

  constructor(baseOffset: number, createdAtMs: number) {
    this.baseOffset = baseOffset;
    this.createdAtMs = createdAtMs;
  }

  add(batch: Batch): void {
    this.batches.push(batch);
    this.sizeBytes += batch.sizeBytes;
    if (batch.maxTimestampMs > this.maxTimestampMs) this.maxTimestampMs = batch.maxTimestampMs;
  }

  /** Puts other batches in place of batches [from, to). */
  replace(from: number, to: number, by: readonly Batch[]): void {
    this.batches = [...this.batches.slice(0, from), ...by, ...this.batches.slice(to)];
    this.sizeBytes = 0;
    this.maxTimestampMs = -1;
    for (const batch of this.batches) {
      this.sizeBytes += batch.sizeBytes;
      if (batch.maxTimestampMs > this.maxTimestampMs) this.maxTimestampMs = batch.maxTimestampMs;
    }
  }

  /** Lets go of the batches that end at or before `offset`. */
  dropBefore(offset: number): void {
    const kept = this.batchFrom(offset);
    if (kept > 0) this.replace(0, kept, []);
  }

  /** Index of the first batch that ends after `offset`; the number of batches if there is none. */
  batchFrom(offset: number): number {
    return firstIndex(this.batches.length, (index) => (this.batches[index] as Batch).nextOffset > offset);
  }
}

/** The least index in [0, size) for which `holds`, which must hold for all later ones; `size` if there is none. */
export function firstIndex(size: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
