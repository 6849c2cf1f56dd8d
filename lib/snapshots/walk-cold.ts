import type { ByteKey } from '../model/byte-key.js';
import type { ColdSegment } from './cold-segment.js';
import type { ReadBlock } from './read-block.js';
import type { SnapshotEntry } from './segment-format.js';

/** Which entries, from `from` (inclusive) to `to` (exclusive); null is open. */
export interface ColdRange {
  readonly from: ByteKey | null;
  readonly to: ByteKey | null;
  readonly reverse?: boolean;
}

/**
 * Entries of segments in order, oldest segment first in the list: of one key that of the latest, without deletes. One block of each
 * segment is held, and a segment is opened when its turn comes.
 */
export async function* walkCold(segments: readonly ColdSegment[], range: ColdRange): AsyncGenerator<SnapshotEntry> {
  const cursors = segments.map((segment) => new SegmentCursor(segment, range));
  for (;;) {
    const least = firstOf(cursors, range.reverse === true);
    if (least === null) return;
    const there = cursors.filter((cursor) => cursor.key === least);
    const unread = there.find((cursor) => !cursor.isRead);
    if (unread !== undefined) {
      await unread.read(); // what it has comes no sooner, maybe later
      continue;
    }
    const entry = there.at(-1)?.entry ?? null;
    if (entry !== null && entry.value !== null) yield entry;
    for (const cursor of there) {
      const moved = cursor.next();
      if (moved !== undefined) await moved;
    }
  }
}

function firstOf(cursors: readonly SegmentCursor[], reverse: boolean): ByteKey | null {
  let first: ByteKey | null = null;
  for (const { key } of cursors) {
    if (key !== null && (first === null || (reverse ? key > first : key < first))) first = key;
  }
  return first;
}

/** A position in a segment. */
class SegmentCursor {
  /** Of the entry at the position, or where the first may lie before it is read; null: at the end. */
  key: ByteKey | null;
  entry: SnapshotEntry | null = null;
  isRead = false;
  private readonly segment: ColdSegment;
  private readonly range: ColdRange;
  private number = 0;
  private block: ReadBlock | null = null;
  private place = 0;

  constructor(segment: ColdSegment, range: ColdRange) {
    this.segment = segment;
    this.range = range;
    const { firstKey, lastKey } = segment.reference;
    const { from, to, reverse } = range;
    const isOutside = (from !== null && lastKey < from) || (to !== null && firstKey >= to);
    if (isOutside) this.key = null;
    else if (reverse === true) this.key = to !== null && to < lastKey ? to : lastKey;
    else this.key = from !== null && from > firstKey ? from : firstKey;
  }

  /** Reads the first entry of the range. */
  async read(): Promise<void> {
    const { from, to, reverse } = this.range;
    this.isRead = true;
    const bound = reverse === true ? to : from;
    const isWhole = bound === null;
    if (isWhole) this.number = reverse === true ? this.segment.blocks.length - 1 : 0;
    else this.number = Math.max(0, this.segment.blockOf(bound));
    this.block = await this.segment.block(this.number);
    if (isWhole) this.place = reverse === true ? this.block.count - 1 : 0;
    else this.place = this.block.placeOf(bound) - (reverse === true ? 1 : 0);
    await this.settle();
  }

  /** Goes on to the next entry; a promise only where the next block has to be read. */
  next(): Promise<void> | undefined {
    this.place += this.range.reverse === true ? -1 : 1;
    const { block } = this;
    if (block === null || this.place < 0 || this.place >= block.count) return this.settle();
    this.take(block);
    return undefined;
  }

  /** Goes to the next block while the place is beyond this one. */
  private async settle(): Promise<void> {
    const step = this.range.reverse === true ? -1 : 1;
    while (this.block !== null && (this.place < 0 || this.place >= this.block.count)) {
      this.number += step;
      if (this.number < 0 || this.number >= this.segment.blocks.length) this.block = null;
      else {
        this.block = await this.segment.block(this.number);
        this.place = step < 0 ? this.block.count - 1 : 0;
      }
    }
    if (this.block === null) this.end();
    else this.take(this.block);
  }

  private take(block: ReadBlock): void {
    const entry = block.entry(this.place);
    const { from, to, reverse } = this.range;
    const isBeyond = reverse === true ? from !== null && entry.key < from : to !== null && entry.key >= to;
    if (isBeyond) {
      this.end();
      return;
    }
    this.entry = entry;
    this.key = entry.key;
  }

  private end(): void {
    this.key = null;
    this.entry = null;
    this.block = null;
  }
}
