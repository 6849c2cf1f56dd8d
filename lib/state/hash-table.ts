/**
 * Which entry has a key: an open-addressing hash table in one typed array, with linear probing. It knows hashes and numbers of
 * entries; whether a key is an entry's own is asked of who has the bytes.
 *
 *   HT1  at most `MAX_LOAD` of the slots are taken
 *   HT2  there is no empty slot between the slot of a hash and the place of an entry of that hash (a removal moves back what
 *        follows), so that a look-up may stop at the first empty one
 */
const FIRST_SLOTS = 16;
const MAX_LOAD = 0.7;

/** Slots in pairs: hash, and number of the entry + 1; 0 is empty. */
export class HashTable {
  slots = new Uint32Array(FIRST_SLOTS * 2);
  mask = FIRST_SLOTS - 1;
  private count = 0;

  get size(): number {
    return this.count;
  }

  get sizeBytes(): number {
    return this.slots.byteLength;
  }

  /** Adds an entry that is not in it. */
  add(hash: number, entry: number): void {
    if (this.count >= (this.mask + 1) * MAX_LOAD) this.grow();
    this.insert(hash, entry);
    this.count += 1;
  }

  /** Removes an entry that is in it. */
  remove(hash: number, entry: number): void {
    const { slots, mask } = this;
    let at = hash & mask;
    while (slots[at * 2 + 1] !== entry + 1) at = (at + 1) & mask;
    for (let next = (at + 1) & mask; slots[next * 2 + 1] !== 0; next = (next + 1) & mask) {
      const home = (slots[next * 2] as number) & mask;
      // It may move to `at` unless its home lies after that, up to where it stands.
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      slots[at * 2] = slots[next * 2] as number;
      slots[at * 2 + 1] = slots[next * 2 + 1] as number;
      at = next;
    }
    slots[at * 2 + 1] = 0;
    this.count -= 1;
  }

  clear(): void {
    this.slots = new Uint32Array(FIRST_SLOTS * 2);
    this.mask = FIRST_SLOTS - 1;
    this.count = 0;
  }

  private insert(hash: number, entry: number): void {
    const { slots, mask } = this;
    let at = hash & mask;
    while (slots[at * 2 + 1] !== 0) at = (at + 1) & mask;
    slots[at * 2] = hash;
    slots[at * 2 + 1] = entry + 1;
  }

  private grow(): void {
    const before = this.slots;
    this.slots = new Uint32Array(before.length * 2);
    this.mask = before.length - 1;
    for (let at = 0; at < before.length; at += 2) {
      const entry = before[at + 1] as number;
      if (entry !== 0) this.insert(before[at] as number, entry - 1);
    }
  }
}
