/**
 * The in-memory engine: one partition of one store as a committed image and a stack of overlays (T1–T4 of byte-store.ts).
 *
 * It knows bytes alone; typed stores are wrapped around it.
 */
import type { ByteKey } from '../model/byte-key.js';
import { InternalError } from '../model/errors.js';
import type { KeyRange, StoredEntry, StoredValue, StoreWrite, TransactionalStore } from './byte-store.js';
import { ImageEntry, Layer, visible } from './layer.js';
import { mergedEntries } from './merged-entries.js';

const EVERYTHING: KeyRange = Object.freeze({ from: null, to: null });

export class MemoryStore implements TransactionalStore {
  readonly name: string;
  private readonly image = new Layer();
  /** Newest first: the open overlay if there is one, then the sealed ones. */
  private overlays: Layer[] = [];
  private hasOpen = false;
  /** All layers, newest first: what reads walk. */
  private stack: readonly Layer[] = [this.image];

  constructor(name: string) {
    this.name = name;
  }

  get(key: ByteKey): StoredValue | null {
    for (let index = 0; index < this.stack.length; index += 1) {
      const written = this.stack[index]?.map.get(key);
      if (written !== undefined) return visible(written);
    }
    return null;
  }

  put(key: ByteKey, value: Uint8Array | null, timestampMs: number): void {
    this.open().set({ key, value, timestampMs });
  }

  entries(range: KeyRange): Iterable<StoredEntry> {
    return mergedEntries(() => this.stack, range);
  }

  /** Walks the overlays: cheap between transactions, proportional to what is uncommitted within one. */
  get size(): number {
    let size = this.image.map.size;
    for (let index = 0; index < this.overlays.length; index += 1) {
      for (const written of this.overlays[index]?.map.values() ?? []) {
        size += (visible(written) === null ? 0 : 1) - (this.isVisibleBelow(index, written.key) ? 1 : 0);
      }
    }
    return size;
  }

  get sizeBytes(): number {
    return this.stack.reduce((bytes, layer) => bytes + layer.sizeBytes, 0);
  }

  seal(): readonly StoreWrite[] {
    const sealed = this.open();
    this.hasOpen = false;
    return [...sealed.map.values()];
  }

  commit(): void {
    const oldest = this.overlays.at(-1);
    if (oldest === undefined || (this.overlays.length === 1 && this.hasOpen)) {
      throw new InternalError(`store ${this.name}: commit without a sealed overlay`, { details: { store: this.name } });
    }
    this.overlays.pop();
    this.restack();
    for (const written of oldest.map.values()) this.apply(written);
  }

  rollback(): void {
    this.overlays = [];
    this.hasOpen = false;
    this.restack();
  }

  restore(write: StoreWrite): void {
    if (this.overlays.length > 0) {
      throw new InternalError(`store ${this.name}: restore under an overlay`, { details: { store: this.name } });
    }
    this.apply(write);
  }

  clear(): void {
    this.rollback();
    this.image.clear();
  }

  committed(): Iterable<StoredEntry> {
    const image = [this.image];
    return mergedEntries(() => image, EVERYTHING);
  }

  private open(): Layer {
    const newest = this.overlays[0];
    if (this.hasOpen && newest !== undefined) return newest;
    const overlay = new Layer();
    this.overlays.unshift(overlay);
    this.hasOpen = true;
    this.restack();
    return overlay;
  }

  private restack(): void {
    this.stack = [...this.overlays, this.image];
  }

  private isVisibleBelow(overlay: number, key: ByteKey): boolean {
    for (let index = overlay + 1; index < this.stack.length; index += 1) {
      const written = this.stack[index]?.map.get(key);
      if (written !== undefined) return visible(written) !== null;
    }
    return false;
  }

  private apply(write: StoreWrite): void {
    if (write.value === null) this.image.delete(write.key);
    else this.image.set(new ImageEntry(write.key, write.value, write.timestampMs));
  }
}
