import type { ByteKey } from '../model/byte-key.js';
import type { StoredEntry } from './byte-store.js';
import { chunkFor, OrderedKeys, placeIn } from './ordered-keys.js';

/** A key that was deleted, in an overlay that has to hide what is below. */
export interface Tombstone {
  readonly key: ByteKey;
  readonly value: null;
  readonly timestampMs: number;
}

/** What a layer knows of a key. */
export type Written = StoredEntry | Tombstone;

/** What one entry costs besides its bytes: map slot, objects, array header; measured on Node 20, rounded up. */
const ENTRY_OVERHEAD_BYTES = 160;

/** Bytes that an entry takes, estimated. */
function sizeOf(entry: Written): number {
  return ENTRY_OVERHEAD_BYTES + entry.key.length + (entry.value === null ? 0 : entry.value.length);
}

/** One level of a store: the committed image (without tombstones), or the writes of one transaction (with). */
export class Layer {
  readonly map = new Map<ByteKey, Written>();
  private readonly ordered = new OrderedKeys(this.map);
  private bytes = 0;

  get sizeBytes(): number {
    return this.bytes;
  }

  set(entry: Written): void {
    const before = this.map.get(entry.key);
    this.map.set(entry.key, entry);
    this.bytes += sizeOf(entry);
    if (before === undefined) this.ordered.touch(entry.key);
    else this.bytes -= sizeOf(before);
  }

  delete(key: ByteKey): void {
    const before = this.map.get(key);
    if (before === undefined) return;
    this.map.delete(key);
    this.bytes -= sizeOf(before);
    this.ordered.touch(key);
  }

  clear(): void {
    this.map.clear();
    this.bytes = 0;
    this.ordered.forget();
  }

  cursor(reverse: boolean): LayerCursor {
    return new LayerCursor(this.ordered, reverse);
  }
}

/** Walks the keys of a layer one way, while the layer may change. */
export class LayerCursor {
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
