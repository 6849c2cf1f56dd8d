import { type ByteKey, byteKey } from '../model/byte-key.js';
import type { StoredEntry } from './byte-store.js';
import { chunkFor, OrderedKeys, placeIn } from './ordered-keys.js';

/** What a transaction wrote under a key; a value of null hides what is below. */
export interface OverlayEntry {
  readonly key: ByteKey;
  readonly value: Uint8Array | null;
  readonly timestampMs: number;
}

/**
 * A committed entry. Its value lies in a string, one byte a character: on the heap, nothing around it, and not a view that keeps
 * a fetched megabyte alive. Reading makes a buffer of it, the form that serdes read without a further object.
 */
export class ImageEntry implements StoredEntry {
  readonly key: ByteKey;
  readonly timestampMs: number;
  private readonly packed: string;

  constructor(key: ByteKey, value: Uint8Array, timestampMs: number) {
    this.key = key;
    this.packed = byteKey(value);
    this.timestampMs = timestampMs;
  }

  /** A copy; ask once. */
  get value(): Uint8Array {
    return Buffer.from(this.packed, 'latin1');
  }

  get valueSizeBytes(): number {
    return this.packed.length;
  }
}

/** What a layer knows of a key. */
export type Written = OverlayEntry | ImageEntry;

/** The entry as a read sees it: null if it hides what is below. */
export function visible(written: Written): StoredEntry | null {
  return written instanceof ImageEntry || written.value !== null ? (written as StoredEntry) : null;
}

/** What one entry costs besides its bytes: map slot, object, string headers; measured on Node 20, rounded up. */
const ENTRY_OVERHEAD_BYTES = 128;

/** Bytes that an entry takes, estimated. */
function sizeOf(written: Written): number {
  const valueSize = written instanceof ImageEntry ? written.valueSizeBytes : (written.value?.length ?? 0);
  return ENTRY_OVERHEAD_BYTES + written.key.length + valueSize;
}

/** One level of a store: the committed image or the writes of one transaction. */
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
