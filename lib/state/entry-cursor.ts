import type { ByteKey } from '../model/byte-key.js';
import type { EntryTable } from './entry-table.js';

import { chunkFor, numberAt, type OrderedChunk, type OrderedEntries, placeIn } from './ordered-entries.js';

/** Walks ordered entries one way, while they may change. */
export class EntryCursor {
  private readonly entries: EntryTable;
  private readonly ordered: OrderedEntries;
  private readonly reverse: boolean;
  private version = -1;
  private chunk = 0;
  private place = 0;

  constructor(entries: EntryTable, ordered: OrderedEntries, reverse: boolean) {
    this.entries = entries;
    this.ordered = ordered;
    this.reverse = reverse;
  }

  /** The number of the first entry at `bound` or beyond it in this direction (beyond it alone if not `inclusive`), or NONE. Null is open. */
  first(bound: ByteKey | null, inclusive: boolean): number {
    const chunks = this.ordered.settle();
    this.version = this.ordered.version;
    if (bound === null) this.toEnd(chunks);
    else this.locate(chunks, bound, inclusive);
    return numberAt(chunks, this.chunk, this.place);
  }

  /** The number of the next entry, or NONE. @param last the key of the entry answered last, which may have gone since */
  next(last: ByteKey): number {
    const chunks = this.ordered.settle();
    if (this.version !== this.ordered.version) return this.first(last, false);
    this.step(chunks);
    return numberAt(chunks, this.chunk, this.place);
  }

  private step(chunks: readonly OrderedChunk[]): void {
    this.place += this.reverse ? -1 : 1;
    if (this.reverse && this.place < 0) {
      this.chunk -= 1;
      this.place = (chunks[this.chunk]?.count ?? 0) - 1;
    } else if (!this.reverse && this.place >= (chunks[this.chunk]?.count ?? 0)) {
      this.chunk += 1;
      this.place = 0;
    }
  }

  private toEnd(chunks: readonly OrderedChunk[]): void {
    this.chunk = this.reverse ? chunks.length - 1 : 0;
    this.place = this.reverse ? (chunks[this.chunk]?.count ?? 0) - 1 : 0;
  }

  private locate(chunks: readonly OrderedChunk[], bound: ByteKey, inclusive: boolean): void {
    // The first key on the far side; walking down, the one before it is wanted.
    const beyond = this.reverse ? inclusive : !inclusive;
    this.chunk = chunkFor(this.entries, chunks, bound, beyond);
    const chunk = chunks[this.chunk];
    this.place = chunk === undefined ? 0 : placeIn(this.entries, chunk, bound, beyond);
    if (this.reverse) this.step(chunks);
  }
}
