/**
 * The entries of a table in order of their keys, for as little as possible.
 *
 * A table that nobody reads in order pays nothing. The first ordered read sorts its entries into chunks of numbers; from then on
 * new entries are only noted, and the next ordered read inserts just those. So a point read or write never pays for order, and an
 * ordered read after m new entries costs m binary searches, not a sort of everything.
 *
 * Invariants
 *   O1  after `settle`, the chunks hold exactly the entries of the table, each once, in order; no chunk is empty
 *   O2  `version` changes whenever positions may have moved
 *   O3  `added` holds at most MAX_ADDED_SHARE of the table's entries (or MIN_ADDED): beyond that the order is forgotten
 *   O4  the chunks never hold an entry that has gone: its number may be another's by now
 */
import type { ByteKey } from '../model/byte-key.js';
import { type EntryTable, NONE } from './entry-table.js';
import { sortedEntries } from './sort-entries.js';

/** A chunk is split in two when it is full. */
const CHUNK_ENTRIES = 512;
/** Sorting anew is cheaper than inserting more than this share of the entries one by one. */
const MAX_ADDED_SHARE = 1 / 8;
/** New entries that are always worth noting, however small the table. */
const MIN_ADDED = 256;

/** Numbers of entries in order: the first `count` of `numbers`. */
export interface OrderedChunk {
  readonly numbers: Uint32Array;
  readonly count: number;
}

type Chunk = { numbers: Uint32Array; count: number };

export class OrderedEntries {
  /** Changes when positions move (O2). */
  version = 0;
  private readonly entries: EntryTable;
  private chunks: Chunk[] | null = null;
  private readonly news: number[] = [];

  constructor(entries: EntryTable) {
    this.entries = entries;
  }

  /** The entry has just come into the table. */
  added(number: number): void {
    if (this.chunks === null) return;
    this.news.push(number);
    if (this.news.length > Math.max(MIN_ADDED, this.entries.size * MAX_ADDED_SHARE)) this.forget();
  }

  /** The entry is about to go from the table. */
  removing(number: number, key: ByteKey): void {
    if (this.chunks === null) return;
    const index = chunkFor(this.entries, this.chunks, key, false);
    const chunk = this.chunks[index];
    if (chunk === undefined) return;
    const place = placeIn(this.entries, chunk, key, false);
    if (place >= chunk.count || chunk.numbers[place] !== number) return; // it was still among the new ones
    chunk.numbers.copyWithin(place, place + 1, chunk.count);
    chunk.count -= 1;
    if (chunk.count === 0) this.chunks.splice(index, 1);
    this.version += 1;
  }

  /** Forgets the order: the next ordered read sorts anew. */
  forget(): void {
    this.chunks = null;
    this.news.length = 0;
    this.version += 1;
  }

  /** Brings the order up to date and answers it (O1); the chunks are not to be changed, nor kept beyond a change of `version`. */
  settle(): readonly OrderedChunk[] {
    if (this.chunks === null) {
      this.chunks = chunked(sortedEntries(this.entries));
      this.version += 1;
    } else if (this.news.length > 0) {
      for (const number of this.news) if (this.entries.has(number)) insert(this.entries, this.chunks, number);
      this.news.length = 0;
      this.version += 1;
    }
    return this.chunks;
  }
}

/** Index of the first chunk whose last key is ≥ `key` (> `key` if `beyond`); the number of chunks if there is none. */
export function chunkFor(entries: EntryTable, chunks: readonly OrderedChunk[], key: ByteKey, beyond: boolean): number {
  entries.take(key);
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { numbers, count } = chunks[middle] as OrderedChunk;
    const order = entries.compareToTaken(numbers[count - 1] as number);
    if (order < 0 || (beyond && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the first key ≥ `key` (> `key` if `beyond`) of a chunk; its length if there is none. */
export function placeIn(entries: EntryTable, { numbers, count }: OrderedChunk, key: ByteKey, beyond: boolean): number {
  entries.take(key);
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = entries.compareToTaken(numbers[middle] as number);
    if (order < 0 || (beyond && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The entry at a place; NONE beyond the ends. */
export function numberAt(chunks: readonly OrderedChunk[], chunk: number, place: number): number {
  const found = chunks[chunk];
  return found === undefined || place < 0 || place >= found.count ? NONE : (found.numbers[place] as number);
}

function chunked(sorted: Uint32Array): Chunk[] {
  const chunks: Chunk[] = [];
  const size = CHUNK_ENTRIES / 2;
  for (let from = 0; from < sorted.length; from += size) {
    const part = sorted.subarray(from, from + size);
    // The one chunk of a small table is as small.
    const numbers = new Uint32Array(sorted.length < size ? Math.max(16, 2 * part.length) : CHUNK_ENTRIES);
    numbers.set(part);
    chunks.push({ numbers, count: part.length });
  }
  return chunks;
}

function insert(entries: EntryTable, chunks: Chunk[], number: number): void {
  const key = entries.key(number);
  const index = Math.min(chunkFor(entries, chunks, key, false), Math.max(0, chunks.length - 1));
  const chunk = chunks[index];
  if (chunk === undefined) {
    const numbers = new Uint32Array(16);
    numbers[0] = number;
    chunks.push({ numbers, count: 1 });
    return;
  }
  const place = placeIn(entries, chunk, key, false);
  if (place < chunk.count && chunk.numbers[place] === number) return; // noted twice: it went and came again
  if (chunk.count === chunk.numbers.length) {
    if (chunk.count < CHUNK_ENTRIES) enlarge(chunk);
    else {
      splitAt(chunks, index);
      insert(entries, chunks, number);
      return;
    }
  }
  chunk.numbers.copyWithin(place + 1, place, chunk.count);
  chunk.numbers[place] = number;
  chunk.count += 1;
}

function enlarge(chunk: Chunk): void {
  const larger = new Uint32Array(Math.min(CHUNK_ENTRIES, chunk.numbers.length * 2));
  larger.set(chunk.numbers);
  chunk.numbers = larger;
}

function splitAt(chunks: Chunk[], index: number): void {
  const chunk = chunks[index] as Chunk;
  const half = CHUNK_ENTRIES / 2;
  const upper = new Uint32Array(CHUNK_ENTRIES);
  upper.set(chunk.numbers.subarray(half, chunk.count));
  chunks.splice(index + 1, 0, { numbers: upper, count: chunk.count - half });
  chunk.count = half;
}
