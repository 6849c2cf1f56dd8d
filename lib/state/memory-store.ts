/**
 * The in-memory engine: one partition of one store as a committed image and a stack of overlays (T1–T4 of byte-store.ts).
 *
 * It knows bytes alone; typed stores are wrapped around it. There is one table of entries, off the JavaScript heap
 * (entry-table.ts): image and overlays meet in the entry, whose note names the slot with what is undecided. So a read is one
 * look-up however many transactions are undecided, and a commit or rollback visits the entries that its transaction touched,
 * without a look-up.
 *
 *   M1  an entry is in the table exactly as long as there is a committed value or an undecided write of its key
 *   M2  an overlay lists each slot that has a pending write of it, once
 *   M3  the timeline of a store with a layout has every entry of the table, but for versions that outlive the retention
 *   M4  the note of an entry is 0 where it has a committed value and nothing else: nearly always
 *   M5  a committed delete stays as an entry of its own while the store lies over another (`keepsDeletes`), and not else
 */
import type { ByteKey, Encoded } from '../model/byte-key.js';
import { InternalError } from '../model/errors.js';
import { appendAll } from '../model/lists.js';
import type { KeyRange, StoredEntry, StoredValue, StoreWrite, TimeRange, TransactionalStore } from './byte-store.js';
import { EntryCursor } from './entry-cursor.js';
import { EntryTable, NONE } from './entry-table.js';
import { OrderedEntries } from './ordered-entries.js';
import { Overlay, type PresentEntry, Slot, StoreEntry } from './slot.js';
import { isExpired, progressWith, type StoreLayout } from './store-layout.js';
import { furthest, NO_PROGRESS, type StoreProgress } from './store-progress.js';
import { Timeline } from './timeline.js';

const NO_BYTES = Buffer.alloc(0);
const EVERYTHING: KeyRange = Object.freeze({ from: null, to: null });
/** In a note: nothing is committed. The bits below are the index of the slot + 1, or 0 where nothing is pending. */
const UNCOMMITTED = 0x8000_0000;
/** In a note: what is committed is a delete, of what lies elsewhere. */
const DELETED = 0x4000_0000;
const SLOT_MASK = 0x3fff_ffff;

export class MemoryStore implements TransactionalStore {
  readonly name: string;
  private readonly table = new EntryTable();
  private readonly ordered = new OrderedEntries(this.table);
  private readonly slots: Slot[] = [];
  private readonly freeSlots: Slot[] = [];
  /** Oldest first: the sealed overlays. */
  private sealed: Overlay[] = [];
  private open: Overlay | null = null;
  private visibleCount = 0;
  private pendingBytes = 0;
  /** What was looked up last: who reads a key often writes it next. */
  private recentKey: ByteKey | null = null;
  private recent = NONE;
  /** Whether all that there is came by `load`, in order of keys, up to this one: then what is beyond it is not there, and not looked for. */
  private isLoaded = true;
  private loadedTo: ByteKey | null = null;
  /** Iterators opened so far: what came after one of them is told by its number (T7). */
  private opened = 0;
  private readonly layout: StoreLayout | null;
  private readonly timeline: Timeline | null;
  /** M5; then the store has no layout. */
  keepsDeletes: boolean;
  private committedProgress = NO_PROGRESS;

  constructor(name: string, layout: StoreLayout | null = null, keepsDeletes = false) {
    this.name = name;
    this.layout = layout;
    this.keepsDeletes = keepsDeletes;
    this.timeline = layout === null ? null : new Timeline(layout, this.table);
  }

  get(key: ByteKey): StoredValue | null {
    const entry = this.find(key);
    return entry === NONE ? null : this.visible(entry, key);
  }

  /** As `get`, but undefined where the store knows nothing of the key: neither a value nor a delete (M5). */
  look(key: ByteKey): StoredValue | null | undefined {
    const entry = this.find(key);
    return entry === NONE ? undefined : this.visible(entry, key);
  }

  /** Says that an iterator is opened. @returns its number (T7) */
  openReader(): number {
    this.opened += 1;
    return this.opened;
  }

  /** As `look`, for an iterator. @param isBelow whether the key is there in what the store lies over */
  lookAsOf(key: ByteKey, opened: number, isBelow: boolean): StoredValue | null | undefined {
    const entry = this.find(key);
    return entry === NONE ? undefined : this.visible(entry, key, opened, isBelow);
  }

  /** The nearest key of which the store knows anything, from `bound` (at it, if `inclusive`) in a direction; null: none. Null is open. */
  nearest(bound: ByteKey | null, inclusive: boolean, reverse: boolean): ByteKey | null {
    const entry = new EntryCursor(this.table, this.ordered, reverse).first(bound, inclusive);
    return entry === NONE ? null : this.table.key(entry);
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
    const found = this.find(key);
    const entry = found === NONE ? this.add(key, value?.length ?? 0) : found;
    const note = this.table.note(entry);
    const slot = this.slotOf(entry, note);
    const wasVisible = slot.pending === null ? note < DELETED : slot.pending.packed !== null;
    const write = new StoreEntry(key, value, timestampMs);
    const replaced = slot.write(write, this.open);
    if (!wasVisible) {
      slot.since = this.opened;
      slot.wasUnknown = found === NONE;
    }
    this.pendingBytes += write.sizeBytes - (replaced?.sizeBytes ?? 0);
    this.visibleCount += (value === null ? 0 : 1) - (wasVisible ? 1 : 0);
    return true;
  }

  entries(range: KeyRange): Iterable<StoredEntry> {
    const opened = this.openReader();
    return this.walk(range, (entry, key) => this.visible(entry, key, opened));
  }

  *entriesByTime(range: TimeRange): Iterable<StoredEntry> {
    if (this.timeline === null) return;
    for (const key of this.timeline.keys(range)) {
      const entry = this.table.find(key);
      const visible = entry === NONE ? null : this.visible(entry, key);
      if (visible !== null) yield visible;
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
    return this.table.sizeBytes + this.pendingBytes;
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
      this.pendingBytes -= write.sizeBytes;
      const isDecided = slot.pending === null;
      if (isDecided) this.freeSlots.push(slot);
      this.setCommitted(slot.entry, write, isDecided ? 0 : slot.index + 1);
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
    const { key, value } = entry;
    if (value !== null && this.isLoaded && (this.loadedTo === null || key > this.loadedTo)) {
      this.setCommitted(this.add(key, value.length), entry, 0);
      this.visibleCount += 1;
      this.isLoaded = true;
      this.loadedTo = key;
    } else this.setImage(entry);
    if (this.layout !== null) this.advance(progressWith(this.layout, this.committedProgress, entry.key));
  }

  resume(progress: StoreProgress): void {
    this.expectNoOverlay();
    this.advance(progress);
  }

  clear(): void {
    this.table.clear();
    this.ordered.forget();
    this.slots.length = 0;
    this.freeSlots.length = 0;
    this.sealed = [];
    this.open = null;
    this.forgetRecent();
    this.visibleCount = 0;
    this.pendingBytes = 0;
    this.isLoaded = true;
    this.loadedTo = null;
    this.timeline?.clear();
    this.committedProgress = NO_PROGRESS;
  }

  committed(): Iterable<StoredEntry> {
    return this.walk(EVERYTHING, (entry, key) =>
      this.table.note(entry) < DELETED ? this.table.read(entry, key) : null,
    );
  }

  /** What is committed in key order, deletes (null) included (M5); as `committed`. */
  *changes(): Iterable<StoreWrite> {
    const isNoted = (entry: number) => this.isCommitted(entry);
    for (const found of this.walk(EVERYTHING, (entry, key) => (isNoted(entry) ? this.table.read(entry, key) : null))) {
      const { key, timestampMs } = found;
      const isDelete = (this.table.note(this.table.find(key)) & DELETED) !== 0;
      yield { key, value: isDelete ? null : found.value, timestampMs };
    }
  }

  /** Forgets what is committed of a key, as nobody needs it here any more: it is no delete, and not undone by a rollback. */
  forget(key: ByteKey): void {
    const entry = this.table.find(key);
    if (entry === NONE || !this.isCommitted(entry)) return;
    const note = this.table.note(entry);
    if ((note & SLOT_MASK) !== 0) {
      this.table.setNote(entry, ((note & SLOT_MASK) | UNCOMMITTED) >>> 0);
      return;
    }
    if (note === 0) this.visibleCount -= 1;
    this.remove(entry, key);
  }

  private find(key: ByteKey): number {
    if (this.recent !== NONE && this.recentKey === key) return this.recent;
    const entry = this.table.find(key);
    this.recentKey = key;
    this.recent = entry;
    return entry;
  }

  private add(key: ByteKey, valueLength: number): number {
    this.isLoaded = false;
    const entry = this.table.add(key, valueLength, UNCOMMITTED);
    this.ordered.added(entry);
    this.timeline?.add(entry, key);
    this.recentKey = key;
    this.recent = entry;
    return entry;
  }

  private remove(entry: number, key: ByteKey): void {
    this.ordered.removing(entry, key);
    this.timeline?.remove(key);
    this.table.remove(entry, key);
    if (this.recent === entry) this.forgetRecent();
  }

  private forgetRecent(): void {
    this.recent = NONE;
    this.recentKey = null;
  }

  /** What a read sees (T1); null if there is nothing, or a delete, or what came after the iterator of that number was opened (T7). */
  private visible(entry: number, key: ByteKey, opened = Number.POSITIVE_INFINITY, isBelow = false): StoredEntry | null {
    const note = this.table.note(entry);
    if (note === 0) return this.table.read(entry, key);
    const slot = note & SLOT_MASK;
    if (slot === 0) return null; // a delete
    const { pending, since, wasUnknown } = this.slots[slot - 1] as Slot;
    if (pending === null || pending.packed === null) return null;
    return since >= opened && !(isBelow && wasUnknown) ? null : (pending as PresentEntry);
  }

  private isCommitted(entry: number): boolean {
    return this.table.note(entry) < UNCOMMITTED;
  }

  /** The slot of an entry, made if there is none. */
  private slotOf(entry: number, note: number): Slot {
    const index = note & SLOT_MASK;
    if (index !== 0) return this.slots[index - 1] as Slot;
    const slot = this.freeSlots.pop() ?? this.newSlot();
    slot.entry = entry;
    this.table.setNote(entry, note | (slot.index + 1));
    return slot;
  }

  private newSlot(): Slot {
    const slot = new Slot(this.slots.length);
    this.slots.push(slot);
    return slot;
  }

  private expectNoOverlay(): void {
    if (this.open === null && this.sealed.length === 0) return;
    throw new InternalError(`store ${this.name}: restore under an overlay`, { details: { store: this.name } });
  }

  /** Writes into the image while there is nothing above it. */
  private setImage(write: StoreWrite): void {
    const { key, value } = write;
    const found = this.find(key);
    if (found === NONE && value === null && !this.keepsDeletes) return;
    const wasVisible = found !== NONE && this.table.note(found) < DELETED;
    const entry = found === NONE ? this.add(key, value?.length ?? 0) : found;
    this.visibleCount += (value === null ? 0 : 1) - (wasVisible ? 1 : 0);
    this.setCommitted(entry, write, 0);
  }

  /** Takes note of committed progress, and lets go of what retention no longer covers (T6). */
  private advance(progress: StoreProgress): void {
    this.committedProgress = furthest(this.committedProgress, progress);
    if (this.layout === null || this.timeline === null) return;
    const expired = this.timeline.takeExpired(this.layout.firstLiveMs(this.committedProgress.streamTimeMs));
    for (const { number, key } of expired) if (this.table.has(number)) this.expire(number, key, this.layout);
  }

  /** No undecided transaction has written what goes here: for all of them it had expired (a younger one's time is no earlier). */
  private expire(entry: number, key: ByteKey, { versions }: StoreLayout): void {
    if (!this.isCommitted(entry)) return;
    if (versions === undefined) {
      this.dropCommitted(entry, key);
      return;
    }
    const older = [
      ...this.walk(versions.olderThan(key), (each, at) => (this.isCommitted(each) ? this.table.read(each, at) : null)),
    ];
    for (const each of older) {
      if (!versions.areOfOneKey(each.key, key)) continue;
      const superseded = this.table.find(each.key);
      if (superseded !== NONE) this.dropCommitted(superseded, each.key);
    }
    if (versions.isDelete(this.table.read(entry, key).value)) this.dropCommitted(entry, key);
  }

  private dropCommitted(entry: number, key: ByteKey): void {
    const note = this.table.note(entry);
    if (note >= UNCOMMITTED) return;
    this.visibleCount -= 1;
    if (note === 0) this.remove(entry, key);
    else this.table.setNote(entry, (note | UNCOMMITTED) >>> 0);
  }

  /** @param slot of what is still undecided, its index + 1; 0 if nothing is */
  private setCommitted(entry: number, write: StoreWrite, slot: number): void {
    const bytes = write.packed === undefined ? write.value : write.packed;
    if (bytes !== null) this.table.setValue(entry, write.key, bytes, write.timestampMs, slot);
    else if (this.keepsDeletes) this.table.setValue(entry, write.key, NO_BYTES, write.timestampMs, slot | DELETED);
    else if (slot === 0) this.remove(entry, write.key);
    else this.table.setNote(entry, (slot | UNCOMMITTED) >>> 0);
  }

  private dropPending(slot: Slot): void {
    if (slot.pending === null) return; // an older overlay that touched it too has dropped the whole chain
    const { entry } = slot;
    const { key, packed } = slot.pending;
    const note = this.table.note(entry);
    this.visibleCount += (note < DELETED ? 1 : 0) - (packed === null ? 0 : 1);
    this.pendingBytes -= slot.dropPending();
    this.freeSlots.push(slot);
    if (note < UNCOMMITTED) this.table.setNote(entry, note & DELETED);
    else this.remove(entry, key);
  }

  /**
   * Entries in key order. Each step looks at the store as it is at that moment: `read` says what is seen of it.
   */
  private *walk(
    { from, to, reverse = false }: KeyRange,
    read: (entry: number, key: ByteKey) => StoredEntry | null,
  ): Generator<StoredEntry> {
    const cursor = new EntryCursor(this.table, this.ordered, reverse);
    const end = reverse ? from : to;
    // `from` is inclusive, `to` exclusive.
    for (let entry = cursor.first(reverse ? to : from, !reverse); entry !== NONE; ) {
      if (end !== null) {
        const order = this.table.compareTo(entry, end);
        if (reverse ? order < 0 : order >= 0) return;
      }
      const key = this.table.key(entry);
      const found = read(entry, key);
      if (found !== null) yield found;
      entry = cursor.next(key);
    }
  }
}
