/**
 * CRC-32C (Castagnoli), the checksum of Kafka's record batches and of our snapshots.
 *
 * Eight bytes a step by eight tables ("slicing-by-8", Kounavis and Berry): one look-up a byte, but without the chain from
 * each byte to the next that holds the plain table method back.
 */
const POLYNOMIAL = 0x82f63b78;
const TABLES = makeTables();

/** CRC-32C of the bytes, unsigned; of no bytes it is 0. */
export function crc32c(bytes: Uint8Array): number {
  const t = TABLES;
  const { length } = bytes;
  const whole = length - (length % 8);
  let crc = -1;
  let at = 0;
  for (; at < whole; at += 8) {
    const low =
      crc ^ (byte(bytes, at) | (byte(bytes, at + 1) << 8) | (byte(bytes, at + 2) << 16) | (byte(bytes, at + 3) << 24));
    crc =
      entry(t, 1792 + (low & 0xff)) ^
      entry(t, 1536 + ((low >>> 8) & 0xff)) ^
      entry(t, 1280 + ((low >>> 16) & 0xff)) ^
      entry(t, 1024 + (low >>> 24)) ^
      entry(t, 768 + byte(bytes, at + 4)) ^
      entry(t, 512 + byte(bytes, at + 5)) ^
      entry(t, 256 + byte(bytes, at + 6)) ^
      entry(t, byte(bytes, at + 7));
  }
  for (; at < length; at += 1) crc = (crc >>> 8) ^ entry(t, (crc ^ byte(bytes, at)) & 0xff);
  return ~crc >>> 0;
}

// Indices here are always inside: the casts only say so to the compiler, they cost nothing.
function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

function entry(table: Int32Array, at: number): number {
  return table[at] as number;
}

/** Table k (at 256 · k) advances a byte by k further zero bytes. */
function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let value = 0; value < 256; value += 1) {
    let crc = value;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[value] = crc;
  }
  for (let index = 256; index < tables.length; index += 1) {
    const before = entry(tables, index - 256);
    tables[index] = (before >>> 8) ^ entry(tables, before & 0xff);
  }
  return tables;
}
