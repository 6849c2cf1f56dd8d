/**
 * Snappy's raw format: the length of the whole, then literals and copies.
 * The format is google/snappy's format_description.txt; bounds and lengths are checked, which small decoders leave out.
 */
import { corruptCompression, decompressesTooFar } from './codec-errors.js';
import { copyMatch } from './copy-match.js';

/** The most that a byte can stand for: a copy of 64 bytes takes three. */
const MAX_RATIO = 22;
const LITERAL = 0;
const COPY_11_BITS = 1;
const COPY_16_BITS = 2;
/** Literals of up to 60 bytes have their length in the tag; the four values above say how many bytes the length has. */
const MAX_SHORT_LITERAL = 60;
const MAX_LENGTH_SHIFT = 28;

/** @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD · {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE */
export function decompressSnappyBlock(input: Buffer, maxBytes: number): Buffer {
  const { length, at } = readLength(input);
  if (length > maxBytes) throw decompressesTooFar('snappy', maxBytes);
  if (length > input.length * MAX_RATIO) throw corrupt('the length is more than the bytes can stand for');
  const output = Buffer.allocUnsafe(length);
  const written = decompressElements(input, at, output);
  if (written !== length) throw corrupt(`${written} bytes came out instead of ${length}`);
  return output;
}

function readLength(input: Buffer): { readonly length: number; readonly at: number } {
  let length = 0;
  let at = 0;
  for (let shift = 0; shift <= MAX_LENGTH_SHIFT && at < input.length; shift += 7) {
    const byte = input[at++] as number;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { length, at };
  }
  throw corrupt('there is no length');
}

function decompressElements(input: Buffer, from: number, output: Buffer): number {
  const end = input.length;
  const capacity = output.length;
  let at = from;
  let written = 0;
  while (at < end) {
    const tag = input[at++] as number;
    const kind = tag & 3;
    if (kind === LITERAL) {
      let length = (tag >>> 2) + 1;
      if (length > MAX_SHORT_LITERAL) {
        const bytes = length - MAX_SHORT_LITERAL;
        if (at + bytes > end) throw corrupt('a literal is cut off');
        length = input.readUIntLE(at, bytes) + 1;
        at += bytes;
      }
      if (at + length > end || written + length > capacity) throw corrupt('a literal is too long');
      input.copy(output, written, at, at + length);
      at += length;
      written += length;
    } else {
      const bytes = kind === COPY_11_BITS ? 1 : kind === COPY_16_BITS ? 2 : 4;
      if (at + bytes > end) throw corrupt('a copy is cut off');
      const length = kind === COPY_11_BITS ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      const distance = input.readUIntLE(at, bytes) + (kind === COPY_11_BITS ? (tag >>> 5) << 8 : 0);
      at += bytes;
      if (distance === 0 || distance > written || written + length > capacity) throw corrupt('a copy is out of bounds');
      copyMatch(output, written, distance, length);
      written += length;
    }
  }
  return written;
}

function corrupt(what: string) {
  return corruptCompression('snappy', what);
}

/** Bytes of a fragment: copies reach back 64 KB at most. */
const FRAGMENT_BYTES = 1 << 16;
const HASH_BITS = 14;
const HASH_MULTIPLIER = 0x1e35a7bd;
const MIN_MATCH = 4;
const MAX_COPY = 64;
/** After so many misses the search steps over one byte more each time: incompressible bytes are not looked at one by one. */
const SKIP_AFTER_MISSES_LOG = 5;

/** Greedy, with one table of last places: Snappy's own way. */
export function compressSnappyBlock(input: Buffer): Buffer {
  const output = Buffer.allocUnsafe(maxCompressedBytes(input.length));
  let written = writeLength(output, input.length);
  const places = new Int32Array(1 << HASH_BITS);
  for (let start = 0; start < input.length; start += FRAGMENT_BYTES) {
    places.fill(-1);
    written = compressFragment(input, start, Math.min(start + FRAGMENT_BYTES, input.length), output, written, places);
  }
  return output.subarray(0, written);
}

function maxCompressedBytes(length: number): number {
  return 32 + length + Math.ceil(length / 6);
}

function compressFragment(
  input: Buffer,
  start: number,
  end: number,
  output: Buffer,
  writeAt: number,
  places: Int32Array,
): number {
  let written = writeAt;
  let literalStart = start;
  let misses = 0;
  let at = start;
  while (at + MIN_MATCH <= end) {
    const word = input.readInt32LE(at);
    const hash = Math.imul(word, HASH_MULTIPLIER) >>> (32 - HASH_BITS);
    const candidate = places[hash] as number;
    places[hash] = at;
    if (candidate < 0 || input.readInt32LE(candidate) !== word) {
      at += 1 + (misses >>> SKIP_AFTER_MISSES_LOG);
      misses += 1;
      continue;
    }
    misses = 0;
    let length = MIN_MATCH;
    while (at + length < end && input[candidate + length] === input[at + length]) length += 1;
    written = writeLiteral(input, literalStart, at, output, written);
    written = writeCopies(output, written, at - candidate, length);
    at += length;
    literalStart = at;
  }
  return writeLiteral(input, literalStart, end, output, written);
}

function writeLiteral(input: Buffer, start: number, end: number, output: Buffer, writeAt: number): number {
  const last = end - start - 1;
  if (last < 0) return writeAt;
  let at = writeAt;
  if (last < MAX_SHORT_LITERAL) {
    output[at++] = last << 2;
  } else if (last < 0x100) {
    output[at++] = MAX_SHORT_LITERAL << 2;
    output[at++] = last;
  } else {
    output[at++] = (MAX_SHORT_LITERAL + 1) << 2;
    output[at++] = last & 0xff;
    output[at++] = last >>> 8;
  }
  input.copy(output, at, start, end);
  return at + last + 1;
}

function writeCopies(output: Buffer, writeAt: number, distance: number, length: number): number {
  let at = writeAt;
  for (let left = length; left > 0; ) {
    const part = Math.min(left, MAX_COPY);
    output[at++] = ((part - 1) << 2) | COPY_16_BITS;
    output[at++] = distance & 0xff;
    output[at++] = distance >>> 8;
    left -= part;
  }
  return at;
}

function writeLength(output: Buffer, length: number): number {
  let at = 0;
  let left = length;
  while (left >= 0x80) {
    output[at++] = (left & 0x7f) | 0x80;
    left >>>= 7;
  }
  output[at++] = left;
  return at;
}
