/**
 * Codec 2: Snappy as Kafka's Java clients write it, a stream of blocks with the header of the xerial library; other clients
 * write one raw block, which is read too (`SnappyInputStream`).
 */
import { corruptCompression, decompressesTooFar } from './codec-errors.js';
import type { RecordCodec } from './record-codec.js';
import { compressSnappyBlock, decompressSnappyBlock } from './snappy-block.js';

/** 0x82 "SNAPPY" 0, then the versions of the format and of the oldest reader, both 1. */
const MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const HEADER = Buffer.concat([MAGIC, Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])]);
/** Where the format's version stands; readers of version 1 read all that came after it. */
const VERSION_AT = 8;
const MIN_VERSION = 1;
const LENGTH_BYTES = 4;
/** Bytes of records in one block. */
const BLOCK_BYTES = 32 * 1024;

export const snappyCodec: RecordCodec = {
  id: 2,
  name: 'snappy',
  decompress: (bytes, maxBytes) =>
    hasMagicAt(bytes, 0) ? decompressStream(bytes, maxBytes) : decompressSnappyBlock(bytes, maxBytes),
  compress(bytes) {
    const parts: Buffer[] = [HEADER];
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const block = compressSnappyBlock(bytes.subarray(at, at + BLOCK_BYTES));
      const length = Buffer.allocUnsafe(LENGTH_BYTES);
      length.writeInt32BE(block.length, 0);
      parts.push(length, block);
    }
    return Buffer.concat(parts);
  },
};

function decompressStream(bytes: Buffer, maxBytes: number): Buffer {
  const blocks: Buffer[] = [];
  let sizeBytes = 0;
  let at = 0;
  while (at < bytes.length) {
    // Streams that were joined have a header in the middle.
    if (hasMagicAt(bytes, at)) {
      if (bytes.readInt32BE(at + VERSION_AT) < MIN_VERSION)
        throw corruptCompression('snappy', 'the version is too old');
      at += HEADER.length;
      continue;
    }
    const length = at + LENGTH_BYTES > bytes.length ? -1 : bytes.readInt32BE(at);
    at += LENGTH_BYTES;
    if (length <= 0 || at + length > bytes.length) throw corruptCompression('snappy', 'a block is cut off');
    const block = decompressSnappyBlock(bytes.subarray(at, at + length), maxBytes);
    at += length;
    sizeBytes += block.length;
    if (sizeBytes > maxBytes) throw decompressesTooFar('snappy', maxBytes);
    blocks.push(block);
  }
  const [only] = blocks;
  return only !== undefined && blocks.length === 1 ? only : Buffer.concat(blocks, sizeBytes);
}

function hasMagicAt(bytes: Buffer, at: number): boolean {
  return bytes.length - at >= HEADER.length && bytes.compare(MAGIC, 0, MAGIC.length, at, at + MAGIC.length) === 0;
}
