/**
 * Codec 3: LZ4 frames (lz4_Frame_format.md), as `Lz4BlockInputStream` and `Lz4BlockOutputStream` have them: independent blocks
 * of 64 KB. Reading, dependent blocks and other sizes are taken too, and every checksum that is there is checked.
 */
import { corruptCompression, decompressesTooFar } from './codec-errors.js';
import { compressLz4Block, decompressLz4Block, MAX_LZ4_RATIO } from './lz4-block.js';
import type { RecordCodec } from './record-codec.js';
import { xxhash32 } from './xxhash32.js';

const MAGIC = 0x184d2204;
const MAGIC_BYTES = 4;
const VERSION_1 = 0x40;
const VERSION_MASK = 0xc0;
const INDEPENDENT_BLOCKS = 0x20;
const BLOCK_CHECKSUMS = 0x10;
const CONTENT_SIZE = 0x08;
const CONTENT_CHECKSUM = 0x04;
const RESERVED_OR_DICTIONARY = 0x03;
/** The highest bit of a block's size says that it is not compressed. */
const STORED = 0x80000000;
/** Block sizes are 64 KB · 4^(n − 4), for n from 4 to 7. */
const MIN_BLOCK_SIZE_ID = 4;
const WRITTEN_BLOCK_BYTES = 64 * 1024;
/** The first guess of how much comes out. */
const EXPECTED_RATIO = 4;

export const lz4Codec: RecordCodec = { id: 3, name: 'lz4', decompress: decompressFrame, compress: compressFrame };

interface Frame {
  readonly at: number;
  readonly maxBlockBytes: number;
  readonly hasBlockChecksums: boolean;
  readonly hasContentChecksum: boolean;
}

/** The bound may be passed by one block before it is noticed. Bytes behind the frame are left alone, as by Kafka. */
function decompressFrame(input: Buffer, maxBytes: number): Buffer {
  const frame = readFrameHeader(input);
  const checksumBytes = frame.hasBlockChecksums ? 4 : 0;
  let output: Buffer = Buffer.allocUnsafe(Math.min(maxBytes, EXPECTED_RATIO * input.length));
  let written = 0;
  let { at } = frame;
  for (;;) {
    const field = uint32(input, at);
    at += 4;
    if (field === 0) break;
    const isStored = field >= STORED;
    const sizeBytes = isStored ? field - STORED : field;
    const end = at + sizeBytes;
    if (sizeBytes > frame.maxBlockBytes || end + checksumBytes > input.length) throw corrupt('a block is cut off');
    if (frame.hasBlockChecksums && uint32(input, end) !== xxhash32(input, at, end))
      throw corrupt('the checksum of a block is wrong');

    const mostBytes = isStored ? sizeBytes : Math.min(frame.maxBlockBytes, sizeBytes * MAX_LZ4_RATIO);
    output = withRoom(output, written, written + mostBytes);
    if (isStored) {
      input.copy(output, written, at, end);
      written += sizeBytes;
    } else {
      written = decompressLz4Block(input, at, end, output, written, written + mostBytes);
    }
    if (written > maxBytes) throw decompressesTooFar('lz4', maxBytes);
    at = end + checksumBytes;
  }
  if (frame.hasContentChecksum && uint32(input, at) !== xxhash32(output, 0, written))
    throw corrupt('the checksum of the content is wrong');
  return output.subarray(0, written);
}

function readFrameHeader(input: Buffer): Frame {
  if (uint32(input, 0) !== MAGIC) throw corrupt('there is no frame');
  const flags = byteAt(input, MAGIC_BYTES);
  const sizeId = (byteAt(input, MAGIC_BYTES + 1) >>> 4) & 7;
  if ((flags & VERSION_MASK) !== VERSION_1 || (flags & RESERVED_OR_DICTIONARY) !== 0 || sizeId < MIN_BLOCK_SIZE_ID)
    throw corrupt('the header of a frame is wrong');
  const checksumAt = MAGIC_BYTES + 2 + ((flags & CONTENT_SIZE) === 0 ? 0 : 8);
  if (byteAt(input, checksumAt) !== ((xxhash32(input, MAGIC_BYTES, checksumAt) >>> 8) & 0xff))
    throw corrupt('the checksum of the header is wrong');
  return {
    at: checksumAt + 1,
    maxBlockBytes: WRITTEN_BLOCK_BYTES << (2 * (sizeId - MIN_BLOCK_SIZE_ID)),
    hasBlockChecksums: (flags & BLOCK_CHECKSUMS) !== 0,
    hasContentChecksum: (flags & CONTENT_CHECKSUM) !== 0,
  };
}

function withRoom(output: Buffer, used: number, needed: number): Buffer {
  if (needed <= output.length) return output;
  const larger = Buffer.allocUnsafe(Math.max(needed, 2 * output.length));
  output.copy(larger, 0, 0, used);
  return larger;
}

function compressFrame(input: Buffer): Buffer {
  const blocks = Math.ceil(input.length / WRITTEN_BLOCK_BYTES);
  const output = Buffer.allocUnsafe(MAGIC_BYTES + 3 + input.length + 4 * blocks + 4);
  output.writeUInt32LE(MAGIC, 0);
  output[MAGIC_BYTES] = VERSION_1 | INDEPENDENT_BLOCKS;
  output[MAGIC_BYTES + 1] = MIN_BLOCK_SIZE_ID << 4;
  output[MAGIC_BYTES + 2] = (xxhash32(output, MAGIC_BYTES, MAGIC_BYTES + 2) >>> 8) & 0xff;
  let written = MAGIC_BYTES + 3;
  for (let start = 0; start < input.length; start += WRITTEN_BLOCK_BYTES) {
    const end = Math.min(start + WRITTEN_BLOCK_BYTES, input.length);
    const blockEnd = compressLz4Block(input, start, end, output, written + 4);
    if (blockEnd < 0) {
      output.writeUInt32LE(STORED + (end - start), written);
      input.copy(output, written + 4, start, end);
      written += 4 + end - start;
    } else {
      output.writeUInt32LE(blockEnd - written - 4, written);
      written = blockEnd;
    }
  }
  output.writeUInt32LE(0, written);
  return output.subarray(0, written + 4);
}

function uint32(input: Buffer, at: number): number {
  if (at + 4 > input.length) throw corrupt('a frame is cut off');
  return input.readUInt32LE(at);
}

function byteAt(input: Buffer, at: number): number {
  const byte = input[at];
  if (byte === undefined) throw corrupt('a frame is cut off');
  return byte;
}

function corrupt(what: string) {
  return corruptCompression('lz4', what);
}
