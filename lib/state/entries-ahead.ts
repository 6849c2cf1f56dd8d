import type { Awaitable } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { StoredValue } from './byte-store.js';
import type { ColdBase } from './cold-base.js';

/** Keys that are read ahead together; more of one batch follow when those are there. */
const READ_TOGETHER_MAX = 1_024;
/** Keys of which the entries are held, or on their way; those held longest go first. */
const HELD_KEYS_MAX = 20_000;
/** Bytes of entries that are held. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
/** What an entry costs besides its bytes, estimated. */
const ENTRY_OVERHEAD_BYTES = 160;

/**
 * Entries of a base that somebody is about to ask for, read together before they are asked for one after the other.
 *
 * Invariants
 *   A1  what is held of a key is what the base holds of it, its absence included: it never goes out of date
 *   A2  reading ahead is a hint: what can not be read is read again, and fails, when it is asked for
 */
export class EntriesAhead {
  private readonly base: ColdBase;
  private readonly held = new Map<ByteKey, StoredValue | null>();
  /** Keys that wait for their turn. */
  private waiting = new Set<ByteKey>();
  private isReading = false;
  private heldBytes = 0;

  constructor(base: ColdBase) {
    this.base = base;
  }

  get sizeBytes(): number {
    return this.heldBytes;
  }

  /** What the base holds of a key; at once where that was read ahead, or is in memory anyway. Errors as those of the base. */
  get(key: ByteKey): Awaitable<StoredValue | null> {
    const held = this.held.get(key);
    return held === undefined ? this.base.get(key) : held;
  }

  /** Begins to read the entries of keys, beside those that are on their way. */
  read(keys: readonly ByteKey[]): void {
    for (const key of keys) {
      if (this.held.size + this.waiting.size >= HELD_KEYS_MAX) this.drop();
      if (this.waiting.size >= HELD_KEYS_MAX) break;
      if (!this.held.has(key)) this.waiting.add(key);
    }
    if (this.isReading || this.waiting.size === 0) return;
    this.isReading = true;
    // Nobody waits for it, and it never throws (A2).
    void this.readWaiting().finally(() => {
      this.isReading = false;
    });
  }

  private async readWaiting(): Promise<void> {
    while (this.waiting.size > 0) {
      const together: ByteKey[] = [];
      for (const key of this.waiting) {
        together.push(key);
        if (together.length === READ_TOGETHER_MAX) break;
      }
      for (const key of together) this.waiting.delete(key);
      try {
        for (const [key, entry] of await this.base.getAll(together)) this.hold(key, entry);
      } catch {
        this.waiting = new Set(); // A2
      }
    }
  }

  private hold(key: ByteKey, entry: StoredValue | null): void {
    if (this.held.has(key)) return;
    this.held.set(key, entry);
    this.heldBytes += sizeOf(key, entry);
    while (this.heldBytes > HELD_BYTES_MAX && this.held.size > 1) this.drop();
  }

  private drop(): void {
    for (const [key, entry] of this.held) {
      this.held.delete(key);
      this.heldBytes -= sizeOf(key, entry);
      return;
    }
  }
}

function sizeOf(key: ByteKey, entry: StoredValue | null): number {
  return ENTRY_OVERHEAD_BYTES + key.length + (entry?.value.length ?? 0);
}
