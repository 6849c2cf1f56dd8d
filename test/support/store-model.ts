import type { KeyRange } from '../../lib/state/byte-store.js';

/** The plain answer to what a transactional store is asked: whole copies of the content at each level. */
export class StoreModel {
  image = new Map<string, string>();
  sealed: Map<string, string>[] = [];
  open: Map<string, string> | null = null;

  get now(): Map<string, string> {
    return this.open ?? this.sealed.at(-1) ?? this.image;
  }

  put(key: string, value: string | null): void {
    this.open ??= new Map(this.now);
    if (value === null) this.open.delete(key);
    else this.open.set(key, value);
  }

  seal(): void {
    this.sealed.push(this.open ?? new Map(this.now));
    this.open = null;
  }

  commit(): void {
    this.image = this.sealed.shift() ?? this.image;
  }

  rollback(): void {
    this.sealed = [];
    this.open = null;
  }

  list({ from, to, reverse }: KeyRange): string[] {
    const keys = [...this.now.keys()]
      .filter((key) => (from === null || key >= from) && (to === null || key < to))
      .sort();
    if (reverse === true) keys.reverse();
    return keys.map((key) => `${key}=${this.now.get(key)}`);
  }
}
