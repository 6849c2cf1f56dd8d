/** MurmurHash3 (x86, 32 bits) of keys. The format of snapshots rests on it (key-filter.ts): it can not change. */
import type { ByteKey } from './byte-key.js';

/** The hash of a key's bytes, 32 bits unsigned. */
export function hashOfKey(key: ByteKey, seed: number): number {
  const { length } = key;
  let hash = seed;
  let at = 0;
  for (; at + 4 <= length; at += 4) hash = withWord(hash, wordAt(key, at));
  if (at < length) hash = withRest(hash, restAt(key, at));
  return finished(hash ^ length);
}

/** Four bytes of a key as a word, the first one lowest. */
export function wordAt(key: ByteKey, at: number): number {
  return (
    key.charCodeAt(at) | (key.charCodeAt(at + 1) << 8) | (key.charCodeAt(at + 2) << 16) | (key.charCodeAt(at + 3) << 24)
  );
}

/** The bytes that are left, fewer than four, in the same way. */
export function restAt(key: ByteKey, from: number): number {
  let rest = 0;
  for (let at = from, shift = 0; at < key.length; at += 1, shift += 8) rest |= key.charCodeAt(at) << shift;
  return rest;
}

/** The hash with one word more. */
export function withWord(hash: number, word: number): number {
  const next = hash ^ spread(word);
  return (Math.imul((next << 13) | (next >>> 19), 5) + 0xe654_6b64) | 0;
}

/** The hash with what is left. */
export function withRest(hash: number, rest: number): number {
  return hash ^ spread(rest);
}

/** The last step, of the hash and the length together. */
export function finished(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function spread(word: number): number {
  const part = Math.imul(word, 0xcc9e_2d51);
  return Math.imul((part << 15) | (part >>> 17), 0x1b87_3593);
}
