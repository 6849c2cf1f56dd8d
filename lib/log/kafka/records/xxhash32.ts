/** xxHash with 32 bits and seed 0, the checksum of LZ4 frames (Yann Collet's XXH32). */

const PRIME_1 = 0x9e3779b1 | 0;
const PRIME_2 = 0x85ebca77 | 0;
const PRIME_3 = 0xc2b2ae3d | 0;
const PRIME_4 = 0x27d4eb2f | 0;
const PRIME_5 = 0x165667b1 | 0;
const STRIPE_BYTES = 16;

/** The hash of range [start, end), unsigned. */
export function xxhash32(bytes: Buffer, start: number, end: number): number {
  let at = start;
  let hash: number;
  if (end - start >= STRIPE_BYTES) {
    let one = (PRIME_1 + PRIME_2) | 0;
    let two = PRIME_2;
    let three = 0;
    let four = -PRIME_1 | 0;
    for (; at + STRIPE_BYTES <= end; at += STRIPE_BYTES) {
      one = round(one, bytes.readInt32LE(at));
      two = round(two, bytes.readInt32LE(at + 4));
      three = round(three, bytes.readInt32LE(at + 8));
      four = round(four, bytes.readInt32LE(at + 12));
    }
    hash = (rotate(one, 1) + rotate(two, 7) + rotate(three, 12) + rotate(four, 18)) | 0;
  } else {
    hash = PRIME_5;
  }
  hash = (hash + (end - start)) | 0;
  for (; at + 4 <= end; at += 4)
    hash = Math.imul(rotate((hash + Math.imul(bytes.readInt32LE(at), PRIME_3)) | 0, 17), PRIME_4);
  for (; at < end; at += 1) hash = Math.imul(rotate((hash + Math.imul(bytes[at] as number, PRIME_5)) | 0, 11), PRIME_1);
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, PRIME_2)) | 0, 13), PRIME_1);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
