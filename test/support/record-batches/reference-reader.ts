/**
 * The format of record batches once more, slow and plain: each number is read in one place, with all of its bits, and every
 * rule is one line. What the quick reader makes of any bytes is compared with this.
 */
import { gunzipSync } from 'node:zlib';
import { decompress as unzstd } from 'fzstd';
import lz4js from 'lz4js';
import snappyjs from 'snappyjs';
import { crc32c } from '../../../lib/host/node/crc32c.js';
import type { PlainRecord } from './recorded-batches.js';

/** What is wrong, as the reader under test would say it. */
export class RefusedByReference extends Error {}

/** The records and the next offset of a buffer of batches without aborted transactions. */
export function referenceRead(buffer: Buffer): {
  readonly records: readonly PlainRecord[];
  readonly nextOffset: number;
} {
  const records: PlainRecord[] = [];
  let nextOffset = 0n;
  let at = 0;
  while (at < buffer.length) {
    if (buffer.length - at < 17) break;
    check(buffer.readInt8(at + 16) === 2, 'magic');
    const size = 12 + buffer.readInt32BE(at + 8);
    check(size >= 61, 'size');
    if (at + size > buffer.length) break;
    const bytes = buffer.subarray(at, at + size);
    check(crc32c(bytes.subarray(21)) === bytes.readUInt32BE(17), 'checksum');
    const baseOffset = bytes.readBigInt64BE(0);
    const lastOffset = baseOffset + BigInt(bytes.readInt32BE(23));
    check(baseOffset >= nextOffset && lastOffset >= baseOffset && isSafe(lastOffset + 1n), 'offsets');
    readBatch(bytes, baseOffset, lastOffset, records);
    nextOffset = lastOffset + 1n;
    at += size;
  }
  check(at > 0 || buffer.length === 0, 'no whole batch');
  return { records, nextOffset: Number(nextOffset) };
}

function readBatch(bytes: Buffer, baseOffset: bigint, lastOffset: bigint, records: PlainRecord[]): void {
  const attributes = bytes.readInt16BE(21);
  const baseTimestamp = bytes.readBigInt64BE(27);
  const maxTimestamp = bytes.readBigInt64BE(35);
  const count = bytes.readInt32BE(57);
  check(isSafe(baseTimestamp) && isSafe(maxTimestamp), 'timestamps');
  check(count >= 0 && ((attributes & 7) !== 0 || count * 7 <= bytes.length - 61), 'count');
  if (count === 0 || (attributes & 0x20) !== 0) return;

  const reader = new PlainReader(decompressed(bytes.subarray(61), attributes & 7));
  let before = baseOffset - 1n;
  for (let index = 0; index < count; index += 1) {
    const record = new PlainReader(reader.bytes(reader.varint(5)));
    record.bytes(1n);
    const timestamp = baseTimestamp + record.varint(10);
    check(isSafe(timestamp) && isSafe(timestamp - baseTimestamp), 'timestamp');
    const offset = baseOffset + record.varint(5);
    check(offset > before && offset <= lastOffset, 'offset');
    before = offset;
    const key = record.nullable();
    const value = record.nullable();
    const headers: [string, string | null][] = [];
    const headerCount = record.varint(5);
    check(headerCount >= 0n && headerCount <= BigInt(record.left), 'headers');
    for (let header = 0n; header < headerCount; header += 1n)
      headers.push([record.bytes(record.varint(5)).toString(), base64(record.nullable())]);
    check(record.left === 0, 'record length');
    const shown = (attributes & 8) === 0 ? timestamp : maxTimestamp;
    records.push([Number(offset), Number(shown), base64(key), base64(value), headers]);
  }
  check(reader.left === 0, 'bytes left');
}

class PlainReader {
  private rest: Buffer;

  constructor(bytes: Buffer) {
    this.rest = bytes;
  }

  get left(): number {
    return this.rest.length;
  }

  bytes(length: bigint): Buffer {
    check(length >= 0n && length <= BigInt(this.left), 'length');
    const bytes = this.rest.subarray(0, Number(length));
    this.rest = this.rest.subarray(Number(length));
    return bytes;
  }

  nullable(): Buffer | null {
    const length = this.varint(5);
    return length < 0n ? null : this.bytes(length);
  }

  /** Zig-zag; of five bytes it has 32 bits, of ten 64. */
  varint(maxBytes: 5 | 10): bigint {
    let raw = 0n;
    for (let index = 0; index < maxBytes; index += 1) {
      const byte = this.bytes(1n)[0] as number;
      raw |= BigInt(byte & 127) << BigInt(7 * index);
      if (byte < 128) {
        const unsigned = BigInt.asUintN(maxBytes === 5 ? 32 : 64, raw);
        return (unsigned & 1n) === 0n ? unsigned >> 1n : -(unsigned >> 1n) - 1n;
      }
    }
    throw new RefusedByReference('varint');
  }
}

function decompressed(bytes: Buffer, codec: number): Buffer {
  switch (codec) {
    case 0:
      return bytes;
    case 1:
      return gunzipSync(bytes, { maxOutputLength: 64 * 1024 * 1024 });
    case 2:
      return snappyStream(bytes);
    case 3:
      return Buffer.from(lz4js.decompress(bytes));
    case 4:
      return Buffer.from(unzstd(withWindowOf1Mb(bytes)));
    default:
      throw new RefusedByReference('codec');
  }
}

function snappyStream(bytes: Buffer): Buffer {
  if (!hasSnappyHeader(bytes)) return Buffer.from(snappyjs.uncompress(bytes));
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.subarray(at);
    if (hasSnappyHeader(rest)) {
      check(rest.readInt32BE(8) >= 1, 'snappy version');
      at += 16;
    } else {
      const length = rest.readInt32BE(0);
      blocks.push(Buffer.from(snappyjs.uncompress(rest.subarray(4, 4 + length))));
      at += 4 + length;
    }
  }
  return Buffer.concat(blocks);
}

function hasSnappyHeader(bytes: Buffer): boolean {
  return bytes.length >= 16 && bytes.subarray(0, 8).toString('latin1') === '\x82SNAPPY\0';
}

/** The frames here hold less than 1 MB, whatever they announce; the decoder would take memory for that. */
function withWindowOf1Mb(frame: Buffer): Buffer {
  const descriptor = frame[5] ?? 0;
  const hasOwnWindow = ((frame[4] ?? 0) & 0x20) === 0;
  check(!hasOwnWindow || descriptor <= 17 << 3, 'window');
  if (!hasOwnWindow || descriptor <= 10 << 3) return frame;
  const copy = Buffer.from(frame);
  copy[5] = 10 << 3;
  return copy;
}

function isSafe(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
}

function base64(bytes: Buffer | null): string | null {
  return bytes === null ? null : bytes.toString('base64');
}

function check(isRight: boolean, what: string): asserts isRight {
  if (!isRight) throw new RefusedByReference(what);
}
