import type { ByteKey } from '../model/byte-key.js';

const FIRST_WORDS = 64;
const ROUND = 0xe654_6b64;

/**
 * A key as words of 4 bytes, the first byte lowest, with zeros up to the end of the last word; and its hash, from the same walk
 * through its characters.
 */
export class KeyWords {
  words = new Uint32Array(FIRST_WORDS);
  /** Words that the key fills. */
  count = 0;

  /** Takes a key in. @returns its hash, 32 bits unsigned (MurmurHash3) */
  take(key: ByteKey): number {
    const { length } = key;
    this.count = (length + 3) >> 2;
    if (this.count > this.words.length) this.words = new Uint32Array(this.count * 2);
    const { words } = this;
    let hash = length;
    let at = 0;
    let word = 0;
    for (; at + 4 <= length; at += 4) {
      const part =
        key.charCodeAt(at) |
        (key.charCodeAt(at + 1) << 8) |
        (key.charCodeAt(at + 2) << 16) |
        (key.charCodeAt(at + 3) << 24);
      words[word] = part;
      word += 1;
      hash = (Math.imul(mixed(hash, part), 5) + ROUND) | 0;
    }
    if (at < length) {
      let rest = 0;
      for (let shift = 0; at < length; at += 1, shift += 8) rest |= key.charCodeAt(at) << shift;
      words[word] = rest;
      hash = mixed(hash, rest);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  }
}

function mixed(hash: number, part: number): number {
  const spread = Math.imul(part, 0xcc9e_2d51);
  const next = hash ^ Math.imul((spread << 15) | (spread >>> 17), 0x1b87_3593);
  return (next << 13) | (next >>> 19);
}
