/**
 * Codec 4: Zstandard (RFC 8878), by node:zlib where it has it (from Node 22.15), else by fzstd, which only reads.
 *
 * fzstd believes the frame: it takes memory for the window or the content that the header announces, up to 2 GB. So the header
 * is rewritten to the smallest window that the frame's own blocks can fill, and the output is counted as it comes.
 */
import * as zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { corruptCompression, decompressesTooFar, guarded } from './codec-errors.js';
import type { RecordCodec } from './record-codec.js';

/** Node 20 has no Zstandard and its types do not know it: looked up by name. */
interface ZstdZlib {
  readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer;
}

/** The codec of this Node; a test gives another `zstd`. */
export function createZstdCodec(zstd: ZstdZlib = zlib as ZstdZlib): RecordCodec {
  const { zstdCompressSync, zstdDecompressSync } = zstd;
  return {
    id: 4,
    name: 'zstd',
    decompress: (bytes, maxBytes) =>
      guarded('zstd', maxBytes, () =>
        zstdDecompressSync === undefined
          ? decompressInScript(bytes, maxBytes)
          : zstdDecompressSync(bytes, { maxOutputLength: maxBytes }),
      ),
    compress: zstdCompressSync === undefined ? undefined : (bytes) => zstdCompressSync(bytes),
  };
}

function decompressInScript(bytes: Buffer, maxBytes: number): Buffer {
  const blocks: Uint8Array[] = [];
  let sizeBytes = 0;
  const onBlock = (block: Uint8Array) => {
    sizeBytes += block.length;
    if (sizeBytes > maxBytes) throw decompressesTooFar('zstd', maxBytes);
    blocks.push(block);
  };
  for (let at = 0; at < bytes.length; ) {
    const frame = findFrame(bytes, at);
    if (frame.header !== undefined)
      new Decompress(onBlock).push(withSmallWindow(bytes, frame, frame.header, maxBytes), true);
    at = frame.end;
  }
  return Buffer.concat(blocks, sizeBytes);
}

const MAGIC = 0xfd2fb528;
const MAGIC_BYTES = 4;
/** Frames of this magic number and the fifteen after it carry what no decoder needs. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const SKIPPABLE_HEADER_BYTES = 8;
const SINGLE_SEGMENT = 0x20;
const RESERVED = 0x08;
const CHECKSUM = 0x04;
const DICTIONARY_MASK = 0x03;
const BLOCK_HEADER_BYTES = 3;
const RUN = 1;
const COMPRESSED = 2;
const RESERVED_BLOCK = 3;
const MAX_BLOCK_BYTES = 128 * 1024;
const MIN_WINDOW_LOG = 10;
/** Larger windows are refused by the C library's streams too, which Kafka and node:zlib use. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024;

interface FrameHeader {
  /** Where the blocks begin. */
  readonly end: number;
  readonly windowBytes: number;
  readonly hasChecksum: boolean;
}

interface Frame {
  /** Undefined for a skippable frame. */
  readonly header: FrameHeader | undefined;
  /** The most that the blocks can hold. */
  readonly mostBytes: number;
  readonly end: number;
}

/** The frame with a header that announces no content size, and the smallest window that its blocks need. */
function withSmallWindow(bytes: Buffer, frame: Frame, header: FrameHeader, maxBytes: number): Buffer {
  const windowBytes = Math.min(frame.mostBytes, header.windowBytes);
  if (windowBytes > maxBytes + MAX_BLOCK_BYTES) throw decompressesTooFar('zstd', maxBytes);
  const windowLog = Math.max(MIN_WINDOW_LOG, Math.ceil(Math.log2(Math.max(1, windowBytes))));
  const small = Buffer.allocUnsafe(MAGIC_BYTES + 2);
  small.writeUInt32LE(MAGIC, 0);
  small[MAGIC_BYTES] = header.hasChecksum ? CHECKSUM : 0;
  small[MAGIC_BYTES + 1] = (windowLog - MIN_WINDOW_LOG) << 3;
  return Buffer.concat([small, bytes.subarray(header.end, frame.end)]);
}

/** Walks over the frame at `start` by its block headers, and so finds that it is whole. */
function findFrame(bytes: Buffer, start: number): Frame {
  if (start + SKIPPABLE_HEADER_BYTES > bytes.length) throw corrupt('a frame is cut off');
  const magic = bytes.readUInt32LE(start);
  if ((magic & ~0x0f) === SKIPPABLE_MAGIC) {
    const end = start + SKIPPABLE_HEADER_BYTES + bytes.readUInt32LE(start + MAGIC_BYTES);
    if (end > bytes.length) throw corrupt('a frame is cut off');
    return { header: undefined, mostBytes: 0, end };
  }
  if (magic !== MAGIC) throw corrupt('there is no frame');
  const header = readFrameHeader(bytes, start + MAGIC_BYTES);
  const maxBlockBytes = Math.min(MAX_BLOCK_BYTES, header.windowBytes);
  let mostBytes = 0;
  let at = header.end;
  let isLast = false;
  while (!isLast) {
    if (at + BLOCK_HEADER_BYTES > bytes.length) throw corrupt('a frame is cut off');
    const block = bytes.readUIntLE(at, BLOCK_HEADER_BYTES);
    const kind = (block >>> 1) & 3;
    const sizeBytes = block >>> 3;
    if (kind === RESERVED_BLOCK || sizeBytes > maxBlockBytes) throw corrupt('a block is too large, or of no kind');
    isLast = (block & 1) === 1;
    mostBytes += kind === COMPRESSED ? maxBlockBytes : sizeBytes;
    at += BLOCK_HEADER_BYTES + (kind === RUN ? 1 : sizeBytes);
  }
  const end = at + (header.hasChecksum ? 4 : 0);
  if (end > bytes.length) throw corrupt('a frame is cut off');
  return { header, mostBytes, end };
}

function readFrameHeader(bytes: Buffer, start: number): FrameHeader {
  const flags = bytes[start] as number;
  if ((flags & RESERVED) !== 0 || (flags & DICTIONARY_MASK) !== 0)
    throw corrupt('the header of a frame is wrong, or asks for a dictionary');
  const isSingleSegment = (flags & SINGLE_SEGMENT) !== 0;
  const hasChecksum = (flags & CHECKSUM) !== 0;
  const sizeId = flags >>> 6;
  const contentSizeBytes = sizeId === 0 && !isSingleSegment ? 0 : 1 << sizeId;
  const contentSizeAt = start + (isSingleSegment ? 1 : 2);
  const end = contentSizeAt + contentSizeBytes;
  if (end > bytes.length) throw corrupt('the header of a frame is cut off');
  if (isSingleSegment)
    return { end, windowBytes: readContentSize(bytes, contentSizeAt, contentSizeBytes), hasChecksum };
  const descriptor = bytes[start + 1] as number;
  const base = 2 ** (MIN_WINDOW_LOG + (descriptor >>> 3));
  const windowBytes = base + (base / 8) * (descriptor & 7);
  if (windowBytes > MAX_WINDOW_BYTES) throw corrupt('a frame asks for too large a window');
  return { end, windowBytes, hasChecksum };
}

function readContentSize(bytes: Buffer, at: number, sizeBytes: number): number {
  if (sizeBytes === 1) return bytes[at] as number;
  if (sizeBytes === 2) return bytes.readUInt16LE(at) + 256;
  if (sizeBytes === 4) return bytes.readUInt32LE(at);
  return Number(bytes.readBigUInt64LE(at));
}

function corrupt(what: string) {
  return corruptCompression('zstd', what);
}
