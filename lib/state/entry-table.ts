/**
 * Entries of a store as bytes: key, value, timestamp and what the store notes with them, found by key or by number.
 *
 * ```
 *   record = timestamp f64 · number u32 · key length u32 · value length u32 · note u32 · key · value      (little-endian)
 * ```
 * A record lies in an {@link Arena}; the {@link HashTable} finds its number by key, `addresses` its place by number. So one entry
 * costs 24 bytes, its key and value rounded up to 8, and 8 to 24 in the two tables, and nothing on the JavaScript heap.
 *
 * Invariants
 *   ET1  an entry keeps its number as long as it is there; the number of one that has gone is used again
 *   ET2  what is read is a copy: bytes of the arena never leave it, so a later write changes nothing that was read
 */
import { type ByteKey, byteKeyAt, type Encoded, unpackInto } from '../model/byte-key.js';
import { Arena, type Chunk, chunkOf, fillsSame, type Records, unitOf } from './arena.js';
import { type CopiedEntry, Copies } from './copied-entry.js';
import { HashTable } from './hash-table.js';
import { KeyWords } from './key-words.js';

const HEADER_BYTES = 24;
const HEADER_WORDS = HEADER_BYTES / 4;
const FIRST_ENTRIES = 16;
const NO_ADDRESS = 0xffff_ffff;
/** Bytes of a key that {@link EntryTable.part} makes a number of: as many as a double holds exactly. */
const PART_BYTES = 6;
/** What one entry costs besides its record: its shares of hash table (about half full) and addresses. */
const TABLE_BYTES = 24;

/** What one entry costs at least besides the bytes of its key and value. */
export const ENTRY_OVERHEAD_BYTES = HEADER_BYTES + TABLE_BYTES;

/** No such entry. */
export const NONE = -1;

export class EntryTable implements Records {
  private readonly arena = new Arena(this);
  private readonly table = new HashTable();
  private readonly copies = new Copies();
  private readonly probe = new KeyWords();
  private addresses = new Uint32Array(FIRST_ENTRIES);
  private readonly freeNumbers: number[] = [];
  private used = 0;
  private takenLength = 0;

  /** Entries there are. */
  get size(): number {
    return this.table.size;
  }

  /** Numbers given out so far are below this. */
  get numbers(): number {
    return this.used;
  }

  /** Bytes of living records and their share of the tables. */
  get sizeBytes(): number {
    return this.arena.liveBytes + this.table.size * TABLE_BYTES;
  }

  /** Bytes taken from the system. */
  get heldBytes(): number {
    return this.arena.sizeBytes + this.table.sizeBytes + this.addresses.byteLength;
  }

  /** The number of the entry of a key, or NONE. */
  find(key: ByteKey): number {
    const hash = this.probe.take(key);
    const { slots, mask } = this.table;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = slots[at * 2 + 1] as number;
      if (entry === 0) return NONE;
      if (slots[at * 2] === hash && this.hasKey(entry - 1, key.length)) return entry - 1;
    }
  }

  /** Adds an entry of a key that has none, with room for a value, and a note. @returns its number */
  add(key: ByteKey, valueLength: number, note: number): number {
    const number = this.freeNumbers.pop() ?? this.newNumber();
    const hash = this.probe.take(key);
    this.write(number, key.length, valueLength, note);
    this.table.add(hash, number);
    return number;
  }

  remove(number: number, key: ByteKey): void {
    const address = this.addresses[number] as number;
    const size = this.sizeAt(this.chunkAt(address), unitOf(address));
    this.table.remove(this.probe.take(key), number);
    this.addresses[number] = NO_ADDRESS;
    this.freeNumbers.push(number);
    this.arena.free(address, size);
  }

  clear(): void {
    this.arena.clear();
    this.table.clear();
    this.addresses = new Uint32Array(FIRST_ENTRIES);
    this.freeNumbers.length = 0;
    this.used = 0;
  }

  /** Whether there is an entry of that number. */
  has(number: number): boolean {
    return number < this.used && this.addresses[number] !== NO_ADDRESS;
  }

  key(number: number): ByteKey {
    const address = this.addresses[number] as number;
    const chunk = this.chunkAt(address);
    const unit = unitOf(address);
    const from = unit * 8 + HEADER_BYTES;
    return byteKeyAt(chunk.bytes, from, from + (chunk.words[unit * 2 + 3] as number));
  }

  /** Writes value and note of an entry, in place where it fits. */
  setValue(number: number, key: ByteKey, value: Encoded, timestampMs: number, note: number): void {
    let address = this.addresses[number] as number;
    let chunk = this.chunkAt(address);
    let unit = unitOf(address);
    const before = this.sizeAt(chunk, unit);
    if (!fillsSame(before, sizeOf(key.length, value.length))) {
      this.probe.take(key);
      this.write(number, key.length, value.length, note);
      this.arena.free(address, before);
      address = this.addresses[number] as number;
      chunk = this.chunkAt(address);
      unit = unitOf(address);
    }
    const { words, bytes } = chunk;
    words[unit * 2 + 4] = value.length;
    words[unit * 2 + 5] = note;
    chunk.doubles[unit] = timestampMs;
    const at = valueAt(unit, key.length);
    if (typeof value === 'string') unpackInto(bytes, at, value);
    else bytes.set(value, at);
  }

  note(number: number): number {
    const address = this.addresses[number] as number;
    return this.chunkAt(address).words[unitOf(address) * 2 + 5] as number;
  }

  setNote(number: number, note: number): void {
    const address = this.addresses[number] as number;
    this.chunkAt(address).words[unitOf(address) * 2 + 5] = note;
  }

  /** A copy of an entry (ET2). */
  read(number: number, key: ByteKey): CopiedEntry {
    const address = this.addresses[number] as number;
    const chunk = this.chunkAt(address);
    const unit = unitOf(address);
    const from = valueAt(unit, chunk.words[unit * 2 + 3] as number);
    const length = chunk.words[unit * 2 + 4] as number;
    return this.copies.copy(key, chunk.doubles[unit] as number, chunk, from, length);
  }

  /** Takes a key in, for {@link compareToTaken}. */
  take(key: ByteKey): void {
    this.probe.take(key);
    this.takenLength = key.length;
  }

  /** Below 0: the entry's key is below the one taken in last; above: above; 0: it is that key. */
  compareToTaken(number: number): number {
    const address = this.addresses[number] as number;
    const { words } = this.chunkAt(address);
    const at = unitOf(address) * 2;
    const length = words[at + 3] as number;
    const { words: key, count } = this.probe;
    const common = Math.min((length + 3) >> 2, count);
    for (let word = 0; word < common; word += 1) {
      const [ours, theirs] = [words[at + HEADER_WORDS + word] as number, key[word] as number];
      if (ours !== theirs) return compareWords(ours, theirs);
    }
    return length - this.takenLength;
  }

  /** As {@link compareToTaken}, of a key that is compared once. */
  compareTo(number: number, key: ByteKey): number {
    this.take(key);
    return this.compareToTaken(number);
  }

  /** Compares the keys of two entries. */
  compare(a: number, b: number): number {
    const [atA, atB] = [this.addresses[a] as number, this.addresses[b] as number];
    const [wordsA, wordsB] = [this.chunkAt(atA).words, this.chunkAt(atB).words];
    const [unitA, unitB] = [unitOf(atA) * 2, unitOf(atB) * 2];
    const lengthA = wordsA[unitA + 3] as number;
    const lengthB = wordsB[unitB + 3] as number;
    const common = (Math.min(lengthA, lengthB) + 3) >> 2;
    for (let word = 0; word < common; word += 1) {
      const [ours, theirs] = [
        wordsA[unitA + HEADER_WORDS + word] as number,
        wordsB[unitB + HEADER_WORDS + word] as number,
      ];
      if (ours !== theirs) return compareWords(ours, theirs);
    }
    return lengthA - lengthB;
  }

  /** How many bytes the keys of two entries have in common from their beginning, at most `most`. */
  commonPrefix(a: number, b: number, most: number): number {
    const [atA, atB] = [this.addresses[a] as number, this.addresses[b] as number];
    const [chunkA, chunkB] = [this.chunkAt(atA), this.chunkAt(atB)];
    const [unitA, unitB] = [unitOf(atA), unitOf(atB)];
    const end = Math.min(chunkA.words[unitA * 2 + 3] as number, chunkB.words[unitB * 2 + 3] as number, most);
    const fromA = unitA * 8 + HEADER_BYTES;
    const fromB = unitB * 8 + HEADER_BYTES;
    let at = 0;
    while (at < end && chunkA.bytes[fromA + at] === chunkB.bytes[fromB + at]) at += 1;
    return at;
  }

  /** Some bytes of a key from `skip` on as a number: of two keys, the one with the lesser number is less. */
  part(number: number, skip: number): number {
    const address = this.addresses[number] as number;
    const { bytes, words } = this.chunkAt(address);
    const unit = unitOf(address);
    const from = unit * 8 + HEADER_BYTES;
    const length = words[unit * 2 + 3] as number;
    let part = 0;
    for (let at = skip; at < skip + PART_BYTES; at += 1)
      part = part * 256 + (at < length ? (bytes[from + at] as number) : 0);
    return part;
  }

  sizeAt({ words }: Chunk, unit: number): number {
    return sizeOf(words[unit * 2 + 3] as number, words[unit * 2 + 4] as number);
  }

  livesAt({ words }: Chunk, unit: number, address: number): boolean {
    return this.addresses[words[unit * 2 + 2] as number] === address;
  }

  moved({ words }: Chunk, unit: number, address: number): void {
    this.addresses[words[unit * 2 + 2] as number] = address;
  }

  /** Makes the record of the key that was taken in last. */
  private write(number: number, keyLength: number, valueLength: number, note: number): void {
    const address = this.arena.allocate(sizeOf(keyLength, valueLength));
    this.addresses[number] = address;
    const { words } = this.chunkAt(address);
    const at = unitOf(address) * 2;
    words[at + 2] = number;
    words[at + 3] = keyLength;
    words[at + 4] = valueLength;
    words[at + 5] = note;
    const { words: key, count } = this.probe;
    for (let word = 0; word < count; word += 1) words[at + HEADER_WORDS + word] = key[word] as number;
  }

  /** Whether an entry has the key that was taken in last. */
  private hasKey(number: number, keyLength: number): boolean {
    const address = this.addresses[number] as number;
    const { words } = this.chunkAt(address);
    const at = unitOf(address) * 2;
    if (words[at + 3] !== keyLength) return false;
    const { words: key, count } = this.probe;
    for (let word = 0; word < count; word += 1) if (words[at + HEADER_WORDS + word] !== key[word]) return false;
    return true;
  }

  private chunkAt(address: number): Chunk {
    return this.arena.chunks[chunkOf(address)] as Chunk;
  }

  private newNumber(): number {
    if (this.used === this.addresses.length) {
      const larger = new Uint32Array(this.addresses.length * 2);
      larger.set(this.addresses);
      this.addresses = larger;
    }
    this.used += 1;
    return this.used - 1;
  }
}

/** Bytes of a record. */
function sizeOf(keyLength: number, valueLength: number): number {
  return HEADER_BYTES + inWords(keyLength) + valueLength;
}

/** Where the value of the record at a unit begins in its chunk. */
function valueAt(unit: number, keyLength: number): number {
  return unit * 8 + HEADER_BYTES + inWords(keyLength);
}

/** Compares two words that differ, by the bytes that were first in the key: the lowest. */
function compareWords(a: number, b: number): number {
  const difference = a ^ b;
  const shift = (31 - Math.clz32(difference & -difference)) & 24;
  return ((a >>> shift) & 0xff) - ((b >>> shift) & 0xff);
}

function inWords(bytes: number): number {
  return (bytes + 3) & ~3;
}
