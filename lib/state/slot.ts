import { type ByteKey, byteKey, type Encoded, type PackedBytes } from '../model/byte-key.js';
import type { StoredEntry, StoreWrite } from './byte-store.js';
import type { StoreProgress } from './store-progress.js';

/** What a write that is not committed costs besides its value, estimated: the object, and headers of strings. */
const WRITE_BYTES = 128;

/**
 * A write of a transaction. Its value lies in a string, one byte a character: on the heap, nothing around it, and not a view that
 * keeps a fetched megabyte alive. Reading makes a buffer of it, the form that serdes read without a further object.
 */
export class StoreEntry implements StoreWrite {
  readonly key: ByteKey;
  readonly timestampMs: number;
  /** The value, one byte a character; null is a delete. */
  readonly packed: PackedBytes | null;

  constructor(key: ByteKey, value: Encoded | null, timestampMs: number) {
    this.key = key;
    this.packed = value === null || typeof value === 'string' ? value : byteKey(value);
    this.timestampMs = timestampMs;
  }

  /** A copy; ask once. */
  get value(): Uint8Array | null {
    return this.packed === null ? null : Buffer.from(this.packed, 'latin1');
  }

  /** What it counts for in the bytes that a store holds. */
  get sizeBytes(): number {
    return WRITE_BYTES + (this.packed?.length ?? 0);
  }
}

/** A write that is no delete. */
export type PresentEntry = StoreEntry & StoredEntry;

/** The writes of one transaction: the slots that it touched, each once, in the order in which they were first written. */
export class Overlay {
  readonly slots: Slot[] = [];
  /** Writes that are no part of the store, mostly because they came too late: they only go to the changelog. */
  readonly expired: StoreEntry[] = [];
  /** With all that the transactions before it have come to. */
  progress: StoreProgress;

  constructor(progress: StoreProgress) {
    this.progress = progress;
  }
}

/** A write that a younger transaction has written over. */
interface BuriedWrite {
  readonly write: StoreEntry;
  readonly overlay: Overlay;
  below: BuriedWrite | null;
}

/**
 * What undecided transactions wrote of one entry. It is used again for another when all are decided.
 *
 * Nearly always that is one write; an older one is only kept where two transactions wrote the same key.
 */
export class Slot {
  /** The newest undecided write; a value of null hides what is committed. */
  pending: StoreEntry | null = null;
  /** Number of the entry in the store's table. */
  entry = 0;
  /** How many iterators had been opened when the entry, which had not been there for readers, came by a write. */
  since = 0;
  /** Whether the store knew nothing of the key before that write: not even that it was deleted. */
  wasUnknown = false;
  /** Where it stands among the store's slots. */
  readonly index: number;
  private overlay: Overlay | null = null;
  private below: BuriedWrite | null = null;

  constructor(index: number) {
    this.index = index;
  }

  /** Notes a write of a transaction. @returns the write of the same transaction that it replaces, or null if this is its first */
  write(write: StoreEntry, overlay: Overlay): StoreEntry | null {
    const before = this.pending;
    this.pending = write;
    if (this.overlay === overlay) return before;
    if (before !== null && this.overlay !== null) {
      this.below = { write: before, overlay: this.overlay, below: this.below };
    }
    this.overlay = overlay;
    overlay.slots.push(this);
    return null;
  }

  /** Takes out the write of the oldest transaction. */
  takeOldest(): StoreEntry | null {
    if (this.below === null) {
      const { pending } = this;
      this.forget();
      return pending;
    }
    let above: BuriedWrite | null = null;
    let oldest = this.below;
    while (oldest.below !== null) {
      above = oldest;
      oldest = oldest.below;
    }
    if (above === null) this.below = null;
    else above.below = null;
    return oldest.write;
  }

  /** Forgets every undecided write. @returns bytes that they counted for */
  dropPending(): number {
    let bytes = this.pending?.sizeBytes ?? 0;
    for (let buried = this.below; buried !== null; buried = buried.below) bytes += buried.write.sizeBytes;
    this.forget();
    return bytes;
  }

  private forget(): void {
    this.pending = null;
    this.since = 0;
    this.wasUnknown = false;
    this.overlay = null;
    this.below = null;
  }
}
