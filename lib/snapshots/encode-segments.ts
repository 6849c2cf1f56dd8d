import type { Host } from '../host/host.js';
import type { SnapshotEntry } from './segment-format.js';
import { type EncodedSegment, type SegmentSizes, SegmentWriter } from './segment-writer.js';

/** Entries handed on together. */
export const BATCH_ENTRIES = 1_024;

export interface EncodeOptions {
  /** The entries are the whole store: there is nothing that a null could delete, so it is left out. */
  readonly isWhole: boolean;
  readonly sizes?: SegmentSizes | undefined;
}

type EncodingHost = Pick<Host, 'codec' | 'digest'>;

/** Segments of these entries, all at once: nothing else runs before the last entry is read. */
export function encodeAll(
  host: EncodingHost,
  entries: Iterable<SnapshotEntry>,
  options: EncodeOptions,
): readonly EncodedSegment[] {
  const roll = new SegmentRoll(host, options);
  const segments: EncodedSegment[] = [];
  for (const entry of entries) {
    const full = roll.add(entry);
    if (full !== null) segments.push(full);
  }
  const last = roll.finish();
  return last === null ? segments : [...segments, last];
}

/** Segments of these entries, each as soon as it is full: one is held at a time. */
export async function* encodeStream(
  host: EncodingHost,
  batches: AsyncIterable<readonly SnapshotEntry[]>,
  options: EncodeOptions,
): AsyncGenerator<EncodedSegment> {
  const roll = new SegmentRoll(host, options);
  for await (const batch of batches) {
    for (const entry of batch) {
      const full = roll.add(entry);
      if (full !== null) yield full;
    }
  }
  const last = roll.finish();
  if (last !== null) yield last;
}

/** Entries one by one as batches, so that later steps wait once a batch. */
export async function* inBatches(entries: AsyncIterable<SnapshotEntry>): AsyncGenerator<readonly SnapshotEntry[]> {
  let batch: SnapshotEntry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < BATCH_ENTRIES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** One segment after the other, in order of keys. */
class SegmentRoll {
  private readonly host: EncodingHost;
  private readonly options: EncodeOptions;
  private writer: SegmentWriter;

  constructor(host: EncodingHost, options: EncodeOptions) {
    this.host = host;
    this.options = options;
    this.writer = new SegmentWriter(host, options.sizes);
  }

  /** The segment that this entry filled, or null. */
  add(entry: SnapshotEntry): EncodedSegment | null {
    if (entry.value === null && this.options.isWhole) return null;
    this.writer.add(entry);
    return this.writer.isFull ? this.finish() : null;
  }

  finish(): EncodedSegment | null {
    if (this.writer.isEmpty) return null;
    const segment = this.writer.finish();
    // Order across segments is checked as well (F1, S2).
    this.writer = new SegmentWriter(this.host, this.options.sizes, segment.reference.lastKey);
    return segment;
  }
}
