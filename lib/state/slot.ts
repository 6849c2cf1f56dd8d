import { type ByteKey, byteKey, type Encoded, type PackedBytes } from '../model/byte-key.js';
import type { StoredEntry, StoreWrite } from './byte-store.js';
import type { StoreProgress } from './store-progress.js';

/**
 * A write, committed or not. Its value lies in a string, one byte a character: on the heap, nothing around it, and not a view that
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

  get valueSizeBytes(): number {
    return this.packed?.length ?? 0;
  }
}

/** An entry that is no delete. */
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
 * All that a store knows of one key: what is committed, and what undecided transactions wrote.
 *
 * Nearly always that is at most one write; an older one is only kept where two transactions wrote the same key.
 */
export class Slot {
  readonly key: ByteKey;
  committed: PresentEntry | null = null;
  /** The newest undecided write; a value of null hides what is below. */
  pending: StoreEntry | null = null;
  private overlay: Overlay | null = null;
  private below: BuriedWrite | null = null;

  constructor(key: ByteKey) {
    this.key = key;
  }

  /** What a read sees (T1); null if there is nothing, or a delete. */
  visible(): PresentEntry | null {
    const { pending } = this;
    if (pending === null) return this.committed;
    return pending.packed === null ? null : (pending as PresentEntry);
  }

  /** Whether nothing is left to remember. */
  get isEmpty(): boolean {
    return this.pending === null && this.committed === null;
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

  /** Forgets every undecided write. @returns bytes of values that were forgotten */
  dropPending(): number {
    let bytes = this.pending?.valueSizeBytes ?? 0;
    for (let buried = this.below; buried !== null; buried = buried.below) bytes += buried.write.valueSizeBytes;
    this.forget();
    return bytes;
  }

  private forget(): void {
    this.pending = null;
    this.overlay = null;
    this.below = null;
  }
}
