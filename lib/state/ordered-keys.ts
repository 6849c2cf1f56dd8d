/**
 * The keys of a map in order, for as little as possible.
 *
 * A map that nobody reads in order pays nothing. The first ordered read sorts its keys into chunks; from then on `touch` notes
 * which keys came or went, and the next ordered read moves just those. So a point read or write never pays for order, and
 * an ordered read after m changes costs m binary searches, not a sort of everything.
 *
 * Invariants
 *   O1  after `settle`, the chunks hold exactly the keys of the map, each once, in order; no chunk is empty
 *   O2  `version` changes whenever positions may have moved
 *   O3  `touched` holds at most MAX_TOUCHED_SHARE of the map's keys (or MIN_TOUCHED): beyond that the order is forgotten
 */
import type { ByteKey } from '../model/byte-key.js';

/** A chunk is split in two when it grows beyond this. */
const MAX_CHUNK_KEYS = 512;
/** Sorting anew is cheaper than moving more than this share of the keys one by one. */
const MAX_TOUCHED_SHARE = 1 / 8;
/** Changes that are always worth noting, however small the map. */
const MIN_TOUCHED = 256;

export class OrderedKeys {
  /** Changes when positions move (O2). */
  version = 0;
  private readonly map: ReadonlyMap<ByteKey, unknown>;
  private chunks: ByteKey[][] | null = null;
  private readonly touched = new Set<ByteKey>();

  constructor(map: ReadonlyMap<ByteKey, unknown>) {
    this.map = map;
  }

  /** The key has just come into the map or gone from it. */
  touch(key: ByteKey): void {
    if (this.chunks === null) return;
    this.touched.add(key);
    if (this.touched.size > Math.max(MIN_TOUCHED, this.map.size * MAX_TOUCHED_SHARE)) this.forget();
  }

  /** Forgets the order: the next ordered read sorts anew. */
  forget(): void {
    this.chunks = null;
    this.touched.clear();
    this.version += 1;
  }

  /** Brings the order up to date and answers it (O1); the chunks are not to be changed, nor kept beyond a change of `version`. */
  settle(): readonly (readonly ByteKey[])[] {
    if (this.chunks === null) {
      this.chunks = chunked([...this.map.keys()].sort());
      this.version += 1;
    } else if (this.touched.size > 0) {
      for (const key of this.touched) {
        if (this.map.has(key)) insert(this.chunks, key);
        else remove(this.chunks, key);
      }
      this.touched.clear();
      this.version += 1;
    }
    return this.chunks;
  }
}

/** Index of the first chunk whose last key is ≥ `key` (> `key` if `beyond`); the number of chunks if there is none. */
export function chunkFor(chunks: readonly (readonly ByteKey[])[], key: ByteKey, beyond: boolean): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const last = chunks[middle]?.at(-1) as ByteKey;
    if (last < key || (beyond && last === key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the first key ≥ `key` (> `key` if `beyond`) of a sorted list; its length if there is none. */
export function placeIn(keys: readonly ByteKey[], key: ByteKey, beyond: boolean): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = keys[middle] as ByteKey;
    if (at < key || (beyond && at === key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function chunked(sorted: ByteKey[]): ByteKey[][] {
  const chunks: ByteKey[][] = [];
  const size = MAX_CHUNK_KEYS / 2;
  for (let from = 0; from < sorted.length; from += size) chunks.push(sorted.slice(from, from + size));
  return chunks;
}

function insert(chunks: ByteKey[][], key: ByteKey): void {
  const index = Math.min(chunkFor(chunks, key, false), Math.max(0, chunks.length - 1));
  const chunk = chunks[index];
  if (chunk === undefined) {
    chunks.push([key]);
    return;
  }
  const place = placeIn(chunk, key, false);
  if (chunk[place] === key) return;
  chunk.splice(place, 0, key);
  if (chunk.length > MAX_CHUNK_KEYS) chunks.splice(index + 1, 0, chunk.splice(MAX_CHUNK_KEYS / 2));
}

function remove(chunks: ByteKey[][], key: ByteKey): void {
  const index = chunkFor(chunks, key, false);
  const chunk = chunks[index];
  if (chunk === undefined) return;
  const place = placeIn(chunk, key, false);
  if (chunk[place] !== key) return;
  chunk.splice(place, 1);
  if (chunk.length === 0) chunks.splice(index, 1);
}
