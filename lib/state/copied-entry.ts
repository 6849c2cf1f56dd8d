import type { ByteKey } from '../model/byte-key.js';
import type { StoredEntry } from './byte-store.js';

/** Copies of short values share memory of this size; it lives as long as one of them does. */
const SLAB_BYTES = 8_192;
/** Longer ones have memory of their own. */
const SHORT_BYTES = SLAB_BYTES / 4;
/** Below this size, copying word by word is faster than a call out of JavaScript. */
const LOOP_BYTES = 512;

/** An entry as it was when it was read. */
export class CopiedEntry implements StoredEntry {
  readonly key: ByteKey;
  readonly timestampMs: number;
  /** Where the value lies: bytes [start, end), which nobody writes. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;

  constructor(key: ByteKey, timestampMs: number, bytes: Buffer, start: number, end: number) {
    this.key = key;
    this.timestampMs = timestampMs;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  get value(): Buffer {
    return this.bytes.subarray(this.start, this.end);
  }
}

/** Memory that words are copied from: a value there begins at a multiple of 4 bytes, and the memory goes on to the next one. */
interface Source {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
}

/** Where copies are put. */
export class Copies {
  private slab: Source | null = null;
  private used = 0;

  copy(key: ByteKey, timestampMs: number, from: Source, start: number, length: number): CopiedEntry {
    if (length > SHORT_BYTES) {
      const own = Buffer.allocUnsafeSlow(length);
      own.set(from.bytes.subarray(start, start + length));
      return new CopiedEntry(key, timestampMs, own, 0, length);
    }
    if (this.slab === null || this.used + length > SLAB_BYTES) {
      this.slab = newSlab();
      this.used = 0;
    }
    const { slab, used } = this;
    if (length <= LOOP_BYTES) copyWords(from.words, start >> 2, slab.words, used >> 2, (length + 3) >> 2);
    else slab.bytes.set(from.bytes.subarray(start, start + length), used);
    this.used = used + ((length + 3) & ~3);
    return new CopiedEntry(key, timestampMs, slab.bytes, used, used + length);
  }
}

function copyWords(from: Uint32Array, start: number, to: Uint32Array, at: number, count: number): void {
  for (let word = 0; word < count; word += 1) to[at + word] = from[start + word] as number;
}

function newSlab(): Source {
  const memory = new ArrayBuffer(SLAB_BYTES);
  return { bytes: Buffer.from(memory), words: new Uint32Array(memory) };
}
