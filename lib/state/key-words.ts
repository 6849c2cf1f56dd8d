import type { ByteKey } from '../model/byte-key.js';
import { finished, restAt, withRest, withWord, wordAt } from '../model/key-hash.js';

const FIRST_WORDS = 64;

/**
 * A key as words of 4 bytes, the first byte lowest, with zeros up to the end of the last word; and its hash, from the same walk
 * through its characters.
 */
export class KeyWords {
  words = new Uint32Array(FIRST_WORDS);
  /** Words that the key fills. */
  count = 0;

  /** Takes a key in. @returns its hash, 32 bits unsigned */
  take(key: ByteKey): number {
    const { length } = key;
    this.count = (length + 3) >> 2;
    if (this.count > this.words.length) this.words = new Uint32Array(this.count * 2);
    const { words } = this;
    let hash = 0;
    let at = 0;
    let word = 0;
    for (; at + 4 <= length; at += 4) {
      const part = wordAt(key, at);
      words[word] = part;
      word += 1;
      hash = withWord(hash, part);
    }
    if (at < length) {
      const rest = restAt(key, at);
      words[word] = rest;
      hash = withRest(hash, rest);
    }
    return finished(hash ^ length);
  }
}
