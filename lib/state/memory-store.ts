/**
 * The in-memory engine: one partition of one store as a committed image and a stack of overlays (T1–T4 of byte-store.ts).
 *
 * It knows bytes alone; typed stores are wrapped around it. There is one map, from key to slot: image and overlays meet in the
 * slot, so that a read is one look-up however many transactions are undecided, and a commit or rollback visits the slots that its
 * transaction touched, without a look-up.
 *
 *   M1  a key is in the map exactly as long as its slot holds something
 *   M2  an overlay lists each slot that has a pending write of it, once
 *   M3  the timeline of a store with a layout has every key of the map, but for versions that outlive the retention
 */
import type { ByteKey, Encoded } from '../model/byte-key.js';
import { InternalError } from '../model/errors.js';
import { appendAll } from '../model/lists.js';
import type { KeyRange, StoredEntry, StoredValue, StoreWrite, TimeRange, TransactionalStore } from './byte-store.js';
import { KeyCursor } from './key-cursor.js';
import { OrderedKeys } from './ordered-keys.js';
import { Overlay, type PresentEntry, Slot, StoreEntry } from './slot.js';
import { isExpired, progressWith, type StoreLayout } from './store-layout.js';
import { furthest, NO_PROGRESS, type StoreProgress } from './store-progress.js';
import { Timeline } from './timeline.js';

const EVERYTHING: KeyRange = Object.freeze({ from: null, to: null });
/** What one entry costs besides its bytes: map slot, objects, string headers; measured on Node 20, rounded up. */
export const ENTRY_OVERHEAD_BYTES = 192;

export class MemoryStore implements TransactionalStore {
  readonly name: string;
  private readonly slots = new Map<ByteKey, Slot>();
  private readonly ordered = new OrderedKeys(this.slots);
  /** Oldest first: the sealed overlays. */
  private sealed: Overlay[] = [];
  private open: Overlay | null = null;
  private visibleCount = 0;
  private bytes = 0;
  /** The slot looked up last: who reads a key often writes it next. */
  private recent: Slot | null = null;
  private readonly layout: StoreLayout | null;
  private readonly timeline: Timeline | null;
  private committedProgress = NO_PROGRESS;

  constructor(name: string, layout: StoreLayout | null = null) {
    this.name = name;
    this.layout = layout;
    this.timeline = layout === null ? null : new Timeline(layout);
  }

  get(key: ByteKey): StoredValue | null {
    return this.find(key)?.visible() ?? null;
  }

  put(key: ByteKey, value: Encoded | null, timestampMs: number): boolean {
    this.open ??= new Overlay(this.progress);
    if (this.layout !== null) {
      if (value === null && this.layout.ignoresNulls === true) {
        this.open.expired.push(new StoreEntry(key, value, timestampMs));
        return true;
      }
      this.open.progress = progressWith(this.layout, this.open.progress, key);
      if (isExpired(this.layout, this.open.progress, key)) {
        this.open.expired.push(new StoreEntry(key, value, timestampMs));
        return false;
      }
    }
    const slot = this.find(key) ?? this.add(key);
    const wasVisible = slot.visible() !== null;
    const replaced = slot.write(new StoreEntry(key, value, timestampMs), this.open);
    this.bytes += (value?.length ?? 0) - (replaced?.valueSizeBytes ?? 0);
    this.visibleCount += (value === null ? 0 : 1) - (wasVisible ? 1 : 0);
    return true;
  }

  entries(range: KeyRange): Iterable<StoredEntry> {
    return this.walk(range, (slot) => slot.visible());
  }

  *entriesByTime(range: TimeRange): Iterable<StoredEntry> {
    if (this.timeline === null) return;
    for (const key of this.timeline.keys(range)) {
      const entry = this.slots.get(key)?.visible() ?? null;
      if (entry !== null) yield entry;
    }
  }

  get progress(): StoreProgress {
    return (this.open ?? this.sealed.at(-1))?.progress ?? this.committedProgress;
  }

  nextSequence(): number {
    this.open ??= new Overlay(this.progress);
    const sequence = this.open.progress.sequence + 1;
    this.open.progress = { ...this.open.progress, sequence };
    return sequence;
  }

  get size(): number {
    return this.visibleCount;
  }

  get sizeBytes(): number {
    return this.bytes;
  }

  seal(): readonly StoreWrite[] {
    const overlay = this.open ?? new Overlay(this.progress);
    this.sealed.push(overlay);
    this.open = null;
    // Nothing has been written since into these slots: the newest write of each is the overlay's own.
    const writes: StoreWrite[] = overlay.slots.map((slot) => slot.pending as StoreEntry);
    if (this.layout === null) return writes;
    appendAll(writes, overlay.expired);
    const { versions } = this.layout;
    return versions === undefined ? writes : writes.map((write) => versions.toChangelog(write));
  }

  commit(): void {
    const overlay = this.sealed.shift();
    if (overlay === undefined) {
      throw new InternalError(`store ${this.name}: commit without a sealed overlay`, { details: { store: this.name } });
    }
    for (const slot of overlay.slots) {
      const write = slot.takeOldest();
      if (write === null) continue;
      this.bytes -= write.valueSizeBytes;
      this.setCommitted(slot, write);
    }
    this.advance(overlay.progress);
  }

  rollback(): void {
    const overlays = this.open === null ? this.sealed : [...this.sealed, this.open];
    this.sealed = [];
    this.open = null;
    for (const { slots } of overlays) for (const slot of slots) this.dropPending(slot);
  }

  restore(record: StoreWrite): void {
    this.expectNoOverlay();
    const { layout } = this;
    if (layout === null) {
      this.setImage(record);
      return;
    }
    if (record.value === null && layout.ignoresNulls === true) {
      this.advance({ ...this.committedProgress, sequence: layout.sequenceOf(record.key) });
      return;
    }
    const write = layout.versions?.fromChangelog(record) ?? record;
    const progress = progressWith(layout, this.committedProgress, write.key);
    if (!isExpired(layout, progress, write.key)) this.setImage(write);
    this.advance(progress);
  }

  load(entry: StoreWrite): void {
    this.expectNoOverlay();
    this.setImage(entry);
    if (this.layout !== null) this.advance(progressWith(this.layout, this.committedProgress, entry.key));
  }

  resume(progress: StoreProgress): void {
    this.expectNoOverlay();
    this.advance(progress);
  }

  clear(): void {
    this.slots.clear();
    this.ordered.forget();
    this.sealed = [];
    this.open = null;
    this.recent = null;
    this.visibleCount = 0;
    this.bytes = 0;
    this.timeline?.clear();
    this.committedProgress = NO_PROGRESS;
  }

  committed(): Iterable<StoredEntry> {
    return this.walk(EVERYTHING, (slot) => slot.committed);
  }

  private find(key: ByteKey): Slot | null {
    if (this.recent !== null && this.recent.key === key) return this.recent;
    const slot = this.slots.get(key);
    if (slot === undefined) return null;
    this.recent = slot;
    return slot;
  }

  private add(key: ByteKey): Slot {
    const slot = new Slot(key);
    this.slots.set(key, slot);
    this.ordered.touch(key);
    this.timeline?.add(key);
    this.bytes += ENTRY_OVERHEAD_BYTES + key.length;
    this.recent = slot;
    return slot;
  }

  private removeIfEmpty(slot: Slot): void {
    if (!slot.isEmpty) return;
    this.slots.delete(slot.key);
    this.ordered.touch(slot.key);
    this.timeline?.remove(slot.key);
    this.bytes -= ENTRY_OVERHEAD_BYTES + slot.key.length;
    if (this.recent === slot) this.recent = null;
  }

  private expectNoOverlay(): void {
    if (this.open === null && this.sealed.length === 0) return;
    throw new InternalError(`store ${this.name}: restore under an overlay`, { details: { store: this.name } });
  }

  /** Writes into the image while there is nothing above it. */
  private setImage(write: StoreWrite): void {
    const found = this.find(write.key);
    if (found === null && write.value === null) return;
    const slot = found ?? this.add(write.key);
    this.visibleCount += (write.value === null ? 0 : 1) - (slot.committed === null ? 0 : 1);
    this.setCommitted(slot, new StoreEntry(write.key, write.value, write.timestampMs));
  }

  /** Takes note of committed progress, and lets go of what retention no longer covers (T6). */
  private advance(progress: StoreProgress): void {
    this.committedProgress = furthest(this.committedProgress, progress);
    if (this.layout === null || this.timeline === null) return;
    const expired = this.timeline.takeExpired(this.layout.firstLiveMs(this.committedProgress.streamTimeMs));
    for (const key of expired) this.expire(key, this.layout);
  }

  /** No undecided transaction has written what goes here: for all of them it had expired (a younger one's time is no earlier). */
  private expire(key: ByteKey, { versions }: StoreLayout): void {
    const slot = this.slots.get(key);
    if (slot === undefined) return;
    const { committed } = slot;
    if (versions === undefined) this.dropCommitted(slot);
    else if (committed !== null) {
      const older = [...this.walk(versions.olderThan(key), (each) => each.committed)];
      for (const entry of older) {
        const superseded = versions.areOfOneKey(entry.key, key) ? this.slots.get(entry.key) : undefined;
        if (superseded !== undefined) this.dropCommitted(superseded);
      }
      if (versions.isDelete(committed.packed as ByteKey)) this.dropCommitted(slot);
    }
  }

  private dropCommitted(slot: Slot): void {
    if (slot.committed === null) return;
    this.visibleCount -= 1;
    this.bytes -= slot.committed.valueSizeBytes;
    slot.committed = null;
    this.removeIfEmpty(slot);
  }

  private setCommitted(slot: Slot, entry: StoreEntry): void {
    this.bytes += entry.valueSizeBytes - (slot.committed?.valueSizeBytes ?? 0);
    slot.committed = entry.packed === null ? null : (entry as PresentEntry);
    if (entry.packed === null) this.removeIfEmpty(slot);
  }

  private dropPending(slot: Slot): void {
    if (slot.pending === null) return; // an older overlay that touched it too has dropped the whole chain
    this.visibleCount += (slot.committed === null ? 0 : 1) - (slot.visible() === null ? 0 : 1);
    this.bytes -= slot.dropPending();
    this.removeIfEmpty(slot);
  }

  /**
   * Entries in key order. Each step looks at the store as it is at that moment: what was deleted meanwhile is not delivered, and
   * writes behind the iterator are not seen.
   */
  private *walk(
    { from, to, reverse = false }: KeyRange,
    read: (slot: Slot) => StoredEntry | null,
  ): Generator<StoredEntry> {
    const cursor = new KeyCursor(this.ordered, reverse);
    let bound = reverse ? to : from;
    let inclusive = !reverse; // `from` is inclusive, `to` exclusive
    for (;;) {
      const key = cursor.seek(bound, inclusive);
      if (key === null || (reverse ? from !== null && key < from : to !== null && key >= to)) return;
      const slot = this.slots.get(key);
      const entry = slot === undefined ? null : read(slot);
      bound = key;
      inclusive = false;
      if (entry !== null) yield entry;
    }
  }
}
