import type { ByteKey } from '../model/byte-key.js';
import { chunkFor, type OrderedKeys, placeIn } from './ordered-keys.js';

/** Walks ordered keys one way, while they may change. */
export class KeyCursor {
  private readonly ordered: OrderedKeys;
  private readonly reverse: boolean;
  private version = -1;
  private chunk = 0;
  private place = 0;

  constructor(ordered: OrderedKeys, reverse: boolean) {
    this.ordered = ordered;
    this.reverse = reverse;
  }

  /**
   * The next key in this direction beyond `bound`, or at it if `inclusive`; null if there is none. A bound of null is open.
   *
   * Bounds must only ever move in the cursor's direction.
   */
  seek(bound: ByteKey | null, inclusive: boolean): ByteKey | null {
    const chunks = this.ordered.settle();
    if (this.version !== this.ordered.version) this.relocate(chunks, bound, inclusive);
    for (let key = this.at(chunks); key !== null; key = this.at(chunks)) {
      if (bound === null || (inclusive && key === bound) || (this.reverse ? key < bound : key > bound)) return key;
      this.step(chunks);
    }
    return null;
  }

  private at(chunks: readonly (readonly ByteKey[])[]): ByteKey | null {
    return chunks[this.chunk]?.[this.place] ?? null;
  }

  private step(chunks: readonly (readonly ByteKey[])[]): void {
    this.place += this.reverse ? -1 : 1;
    if (this.reverse && this.place < 0) {
      this.chunk -= 1;
      this.place = (chunks[this.chunk]?.length ?? 0) - 1;
    } else if (!this.reverse && this.place >= (chunks[this.chunk]?.length ?? 0)) {
      this.chunk += 1;
      this.place = 0;
    }
  }

  /** Finds the place anew: at the start, and after keys have moved. */
  private relocate(chunks: readonly (readonly ByteKey[])[], bound: ByteKey | null, inclusive: boolean): void {
    this.version = this.ordered.version;
    if (bound === null) {
      this.chunk = this.reverse ? chunks.length - 1 : 0;
      this.place = this.reverse ? (chunks[this.chunk]?.length ?? 0) - 1 : 0;
      return;
    }
    // The first key on the far side; walking down, the one before it is wanted.
    const beyond = this.reverse ? inclusive : !inclusive;
    this.chunk = chunkFor(chunks, bound, beyond);
    const keys = chunks[this.chunk];
    this.place = keys === undefined ? 0 : placeIn(keys, bound, beyond);
    if (this.reverse) this.step(chunks);
  }
}
