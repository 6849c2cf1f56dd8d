/** Java's murmur2, and the partition that Kafka's default partitioner gives a key. */

import type { Encoded } from '../model/byte-key.js';

const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;
const ROTATION = 24;

/** Kafka's `Utils.murmur2`, as a signed 32-bit integer. */
export function murmur2(bytes: Encoded): number {
  const { length } = bytes;
  const whole = length & ~3;
  let hash = SEED ^ length;
  for (let at = 0; at < whole; at += 4) {
    let word = byte(bytes, at) | (byte(bytes, at + 1) << 8) | (byte(bytes, at + 2) << 16) | (byte(bytes, at + 3) << 24);
    word = Math.imul(word, MULTIPLIER);
    word = Math.imul(word ^ (word >>> ROTATION), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  const rest = length & 3;
  if (rest > 2) hash ^= byte(bytes, whole + 2) << 16;
  if (rest > 1) hash ^= byte(bytes, whole + 1) << 8;
  if (rest > 0) hash = Math.imul(hash ^ byte(bytes, whole), MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}

function byte(bytes: Encoded, at: number): number {
  return typeof bytes === 'string' ? bytes.charCodeAt(at) : (bytes[at] as number);
}

/**
 * The partition of a record: murmur2 of the key's bytes, as in Java.
 *
 * A record without key goes to the partition of its value's hash (0 if that is null too). Kafka's producer spreads such records
 * by its own state; here a record that is processed again after an abort goes where it went before.
 */
export function defaultPartition(key: Encoded | null, value: Encoded | null, numPartitions: number): number {
  const hashed = key ?? value;
  return hashed === null ? 0 : (murmur2(hashed) & 0x7fffffff) % numPartitions;
}
