/** MurmurHash3, x64, 128 bits, as Kafka Streams' foreign-key join computes it over values: its hashes stand in topics. Kafka: `Murmur3`. */
const SEED = 104_729n;
const C1 = 0x87c3_7b91_1142_53d5n;
const C2 = 0x4cf5_ad43_2745_937fn;
const N1 = 0x52dc_e729n;
const N2 = 0x3849_5ab5n;
const BLOCK_BYTES = 16;
const HALF_BYTES = 8;

/** Bytes of a hash. */
export const HASH_BYTES = 16;

/** Both halves, big-endian, as they are written. */
export function murmur3(bytes: Uint8Array): Buffer {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let h1 = SEED;
  let h2 = SEED;
  const tailAt = data.length - (data.length % BLOCK_BYTES);
  for (let at = 0; at < tailAt; at += BLOCK_BYTES) {
    h1 = u64((rotated(h1 ^ mixed1(data.readBigUInt64LE(at)), 27n) + h2) * 5n + N1);
    h2 = u64((rotated(h2 ^ mixed2(data.readBigUInt64LE(at + HALF_BYTES)), 31n) + h1) * 5n + N2);
  }
  const tail = Buffer.alloc(BLOCK_BYTES);
  data.copy(tail, 0, tailAt);
  if (data.length - tailAt > HALF_BYTES) h2 ^= mixed2(tail.readBigUInt64LE(HALF_BYTES));
  if (data.length > tailAt) h1 ^= mixed1(tail.readBigUInt64LE(0));
  return finished(h1, h2, BigInt(data.length));
}

function finished(h1: bigint, h2: bigint, length: bigint): Buffer {
  let first = u64((h1 ^ length) + (h2 ^ length));
  let second = u64((h2 ^ length) + first);
  first = avalanche(first);
  second = avalanche(second);
  first = u64(first + second);
  const hash = Buffer.allocUnsafe(HASH_BYTES);
  hash.writeBigUInt64BE(first, 0);
  hash.writeBigUInt64BE(u64(second + first), HALF_BYTES);
  return hash;
}

function mixed1(half: bigint): bigint {
  return u64(rotated(u64(half * C1), 31n) * C2);
}

function mixed2(half: bigint): bigint {
  return u64(rotated(u64(half * C2), 33n) * C1);
}

function avalanche(half: bigint): bigint {
  let mixed = u64((half ^ (half >> 33n)) * 0xff51_afd7_ed55_8ccdn);
  mixed = u64((mixed ^ (mixed >> 33n)) * 0xc4ce_b9fe_1a85_ec53n);
  return mixed ^ (mixed >> 33n);
}

function rotated(half: bigint, by: bigint): bigint {
  return u64((half << by) | (half >> (64n - by)));
}

function u64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
