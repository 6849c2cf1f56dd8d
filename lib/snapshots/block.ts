/** Blocks of a segment: entries to bytes and back. The layout is in segment-format.ts. */
import type { Host } from '../host/host.js';
import type { Awaitable } from '../model/awaitable.js';
import { asBuffer } from '../model/byte-key.js';
import { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import { BLOCK_HEADER_BYTES, corruptedSegment, type SnapshotEntry } from './segment-format.js';

/** Where a block comes from, for the error. */
export interface BlockOrigin {
  readonly object: string;
  readonly block: number;
}

/** Appends an entry to the payload of a block. */
export function writeEntry(payload: ByteWriter, { key, value, timestampMs }: SnapshotEntry): void {
  payload.latin1(key);
  payload.varint(value === null ? 0 : value.length + 1);
  payload.int64(timestampMs);
  if (value !== null) payload.bytes(value);
}

/** Closes a block: compresses the payload if that makes it smaller, and puts the header in front. */
export function encodeBlock(host: Pick<Host, 'codec' | 'digest'>, payload: Uint8Array, preferredCodec: number): Buffer {
  const compressed = host.codec.compress(preferredCodec, payload);
  const isSmaller = compressed.length < payload.length;
  const stored = isSmaller ? compressed : payload;
  const block = Buffer.allocUnsafe(BLOCK_HEADER_BYTES + stored.length);
  block.writeUInt8(isSmaller ? preferredCodec : 0, 4);
  block.writeUInt32BE(payload.length, 5);
  block.set(stored, BLOCK_HEADER_BYTES);
  block.writeUInt32BE(host.digest.crc32c(block.subarray(4)), 0);
  return block;
}

/**
 * Checks a block and gives its payload.
 *
 * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED naming the object and the block
 */
export function openBlock(host: Pick<Host, 'codec' | 'digest'>, bytes: Uint8Array, origin: BlockOrigin): Uint8Array {
  const block = checkedBlock(host, bytes, origin);
  let payload: Uint8Array;
  try {
    payload = host.codec.decompress(codecOf(block), block.subarray(BLOCK_HEADER_BYTES), block.readUInt32BE(5));
  } catch (cause) {
    return notDecompressed(cause, origin);
  }
  return ofItsLength(payload, block, origin);
}

/** As {@link openBlock}, beside the caller where the host can: several blocks may be opened at the same time. */
export function openBlockAside(
  host: Pick<Host, 'codec' | 'digest'>,
  bytes: Uint8Array,
  origin: BlockOrigin,
): Awaitable<Uint8Array> {
  const { codec } = host;
  if (codec.decompressAside === undefined || codecOf(asBuffer(bytes)) === 0) return openBlock(host, bytes, origin);
  const block = checkedBlock(host, bytes, origin);
  return codec.decompressAside(codecOf(block), block.subarray(BLOCK_HEADER_BYTES), block.readUInt32BE(5)).then(
    (payload) => ofItsLength(payload, block, origin),
    (cause) => notDecompressed(cause, origin),
  );
}

function checkedBlock({ digest }: Pick<Host, 'digest'>, bytes: Uint8Array, origin: BlockOrigin): Buffer {
  const block = asBuffer(bytes);
  if (block.length < BLOCK_HEADER_BYTES) corruptedSegment(origin.object, `block ${origin.block} is cut off`, origin);
  if (digest.crc32c(block.subarray(4)) !== block.readUInt32BE(0)) {
    corruptedSegment(origin.object, `block ${origin.block} does not have its checksum`, origin);
  }
  return block;
}

/** 0 for one that is cut off. */
function codecOf(block: Buffer): number {
  return block[4] ?? 0;
}

function ofItsLength(payload: Uint8Array, block: Buffer, origin: BlockOrigin): Uint8Array {
  if (payload.length === block.readUInt32BE(5)) return payload;
  return corruptedSegment(origin.object, `block ${origin.block} does not have its length`, origin);
}

function notDecompressed(cause: unknown, origin: BlockOrigin): never {
  return corruptedSegment(origin.object, `block ${origin.block} cannot be decompressed`, origin, cause);
}

/** The entries of a payload; values are views of it. */
export function decodeEntries(payload: Uint8Array, origin: BlockOrigin): SnapshotEntry[] {
  const reader = new ByteReader(payload);
  const entries: SnapshotEntry[] = [];
  try {
    while (!reader.isAtEnd) {
      const key = reader.key();
      const length = reader.varint();
      const timestampMs = reader.int64();
      entries.push({ key, value: length === 0 ? null : reader.bytes(length - 1), timestampMs });
    }
  } catch (cause) {
    corruptedSegment(origin.object, `block ${origin.block} holds broken entries`, origin, cause);
  }
  return entries;
}
