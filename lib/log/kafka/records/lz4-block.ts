/** LZ4's block format: runs of literals, each followed by a copy (lz4_Block_format.md). */
import { corruptCompression } from './codec-errors.js';
import { copyMatch } from './copy-match.js';

const MIN_MATCH = 4;
/** A half-byte of this value is continued in the bytes that follow. */
const CONTINUED = 15;
/** The most that a byte of a block can stand for: one more in a continued length. */
export const MAX_LZ4_RATIO = 255;
/** The format ends a block with five literals, and begins no copy in its last twelve bytes. */
const LAST_LITERALS = 5;
const MIN_BYTES_FOR_MATCH = 12;
const MAX_DISTANCE = 0xffff;
const HASH_BITS = 14;
const HASH_MULTIPLIER = 0x9e3779b1 | 0;
const SKIP_AFTER_MISSES_LOG = 6;

/**
 * Decompresses block [start, end) of `input` to `output` from `writeAt` on, up to `limit` (exclusive). Copies may reach back
 * to what was written before the block.
 *
 * @returns the end of what was written
 * @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD
 */
export function decompressLz4Block(
  input: Buffer,
  start: number,
  end: number,
  output: Buffer,
  writeAt: number,
  limit: number,
): number {
  let at = start;
  let written = writeAt;
  while (at < end) {
    const token = input[at++] as number;

    let literals = token >>> 4;
    if (literals === CONTINUED) {
      let byte: number;
      do {
        if (at >= end) throw corrupt('a length is cut off');
        byte = input[at++] as number;
        literals += byte;
      } while (byte === 0xff);
    }
    if (literals > end - at || literals > limit - written) throw corrupt('literals are too long');
    if (literals > 0) input.copy(output, written, at, at + literals);
    at += literals;
    written += literals;
    if (at === end) return written;

    if (end - at < 2) throw corrupt('a copy is cut off');
    const distance = (input[at] as number) | ((input[at + 1] as number) << 8);
    at += 2;
    let length = token & CONTINUED;
    if (length === CONTINUED) {
      let byte: number;
      do {
        if (at >= end) throw corrupt('a length is cut off');
        byte = input[at++] as number;
        length += byte;
      } while (byte === 0xff);
    }
    length += MIN_MATCH;
    if (distance === 0 || distance > written || length > limit - written) throw corrupt('a copy is out of bounds');
    copyMatch(output, written, distance, length);
    written += length;
  }
  throw corrupt('a block does not end with literals');
}

function corrupt(what: string) {
  return corruptCompression('lz4', what);
}

/**
 * Compresses range [start, end) greedily, with one table of last places, so that nothing reaches back before `start`.
 *
 * @returns the end of what was written, or −1 if it does not become smaller: then the block is stored as it is
 */
export function compressLz4Block(input: Buffer, start: number, end: number, output: Buffer, writeAt: number): number {
  const places = new Int32Array(1 << HASH_BITS).fill(-1);
  const writeEnd = writeAt + (end - start);
  const lastMatchStart = end - MIN_BYTES_FOR_MATCH;
  const matchEnd = end - LAST_LITERALS;
  let written = writeAt;
  let literalStart = start;
  let misses = 0;
  let at = start;
  while (at < lastMatchStart) {
    const word = input.readInt32LE(at);
    const hash = Math.imul(word, HASH_MULTIPLIER) >>> (32 - HASH_BITS);
    const candidate = places[hash] as number;
    places[hash] = at;
    if (candidate < 0 || at - candidate > MAX_DISTANCE || input.readInt32LE(candidate) !== word) {
      at += 1 + (misses >>> SKIP_AFTER_MISSES_LOG);
      misses += 1;
      continue;
    }
    misses = 0;
    let length = MIN_MATCH;
    while (at + length < matchEnd && input[candidate + length] === input[at + length]) length += 1;
    if (written + sequenceBytes(at - literalStart, length) > writeEnd) return -1;
    written = writeLiterals(input, literalStart, at, Math.min(length - MIN_MATCH, CONTINUED), output, written);
    output[written++] = (at - candidate) & 0xff;
    output[written++] = (at - candidate) >>> 8;
    written = writeContinued(output, written, length - MIN_MATCH);
    at += length;
    literalStart = at;
  }
  if (written + sequenceBytes(end - literalStart, 0) > writeEnd) return -1;
  return writeLiterals(input, literalStart, end, 0, output, written);
}

/** Upper bound of what literals and a copy take. */
function sequenceBytes(literals: number, length: number): number {
  return 5 + literals + Math.ceil(literals / 255) + Math.ceil(length / 255);
}

function writeLiterals(
  input: Buffer,
  start: number,
  end: number,
  matchBits: number,
  output: Buffer,
  writeAt: number,
): number {
  const length = end - start;
  output[writeAt] = (Math.min(length, CONTINUED) << 4) | matchBits;
  const at = writeContinued(output, writeAt + 1, length);
  input.copy(output, at, start, end);
  return at + length;
}

function writeContinued(output: Buffer, writeAt: number, length: number): number {
  let at = writeAt;
  if (length < CONTINUED) return at;
  let left = length - CONTINUED;
  for (; left >= 0xff; left -= 0xff) output[at++] = 0xff;
  output[at++] = left;
  return at;
}
