/**
 * Which keys a segment may have: a split-block Bloom filter, as in Parquet. It never misses a key that is there; of those that are
 * not it lets about one in a hundred pass.
 *
 * ```
 *   filter = blocks u32 · (8 words u32 a block), little-endian
 * ```
 * The block of a key is its hash (key-hash.ts, seed 0) times the number of blocks, over 2^32; in each word of the block one bit is
 * set, which a second hash (seed 2) and the word's own factor choose.
 */
import { asBuffer, type ByteKey } from '../model/byte-key.js';
import { hashOfKey } from '../model/key-hash.js';

const BITS_PER_KEY = 11;
const WORDS = 8;
const BLOCK_BITS = WORDS * 32;
const BLOCK_SEED = 0;
const BIT_SEED = 2;
/** Odd numbers, those of Parquet's filters. */
const FACTORS = [
  0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31,
] as const;

export class KeyFilter {
  private readonly words: Uint32Array;
  private readonly blocks: number;

  private constructor(words: Uint32Array) {
    this.words = words;
    this.blocks = words.length / WORDS;
  }

  /** Reads a filter back; null if the bytes are none. */
  static decode(bytes: Uint8Array): KeyFilter | null {
    const buffer = asBuffer(bytes);
    if (buffer.length < 4 || buffer.length !== 4 + buffer.readUInt32LE(0) * WORDS * 4) return null;
    const words = new Uint32Array((buffer.length - 4) / 4);
    for (let at = 0; at < words.length; at += 1) words[at] = buffer.readUInt32LE(4 + at * 4);
    return words.length === 0 ? null : new KeyFilter(words);
  }

  get sizeBytes(): number {
    return this.words.byteLength;
  }

  /** False: the segment does not have the key. */
  mayHave(key: ByteKey): boolean {
    const from = blockOf(hashOfKey(key, BLOCK_SEED), this.blocks) * WORDS;
    const bits = hashOfKey(key, BIT_SEED);
    for (let word = 0; word < WORDS; word += 1) {
      if (((this.words[from + word] as number) & bitOf(bits, word)) === 0) return false;
    }
    return true;
  }
}

/** Collects the keys of a segment. */
export class KeyFilterBuilder {
  private hashes = new Uint32Array(512);
  private count = 0;

  add(key: ByteKey): void {
    if (this.count === this.hashes.length) {
      const larger = new Uint32Array(this.hashes.length * 2);
      larger.set(this.hashes);
      this.hashes = larger;
    }
    this.hashes[this.count] = hashOfKey(key, BLOCK_SEED);
    this.hashes[this.count + 1] = hashOfKey(key, BIT_SEED);
    this.count += 2;
  }

  encode(): Buffer {
    const blocks = Math.max(1, Math.ceil(((this.count / 2) * BITS_PER_KEY) / BLOCK_BITS));
    const words = new Uint32Array(blocks * WORDS);
    for (let at = 0; at < this.count; at += 2) {
      const from = blockOf(this.hashes[at] as number, blocks) * WORDS;
      const bits = this.hashes[at + 1] as number;
      for (let word = 0; word < WORDS; word += 1)
        words[from + word] = (words[from + word] as number) | bitOf(bits, word);
    }
    const bytes = Buffer.allocUnsafe(4 + words.length * 4);
    bytes.writeUInt32LE(blocks, 0);
    for (const [at, word] of words.entries()) bytes.writeUInt32LE(word, 4 + at * 4);
    return bytes;
  }
}

function blockOf(hash: number, blocks: number): number {
  return Math.floor((hash * blocks) / 2 ** 32);
}

function bitOf(bits: number, word: number): number {
  return 1 << (Math.imul(bits, FACTORS[word] as number) >>> 27);
}
