/**
 * The format of a segment: entries of one store in order of their keys, immutable once written.
 *
 * ```
 *   segment   = block*  section*  directory  trailer
 *   block     = crc u32 · codec u8 · raw length u32 · payload        the crc covers all that follows it in the block
 *   payload   = entry*, compressed by the codec
 *   entry     = key length varint · key · value length + 1 varint (0: null, a delete) · timestamp i64 · value
 *   section   = key filter (kind 2): key-filter.ts
 *               index (kind 1): entries varint · last key · blocks varint · block reference*
 *               readers skip kinds that they do not know
 *   reference = first key · offset varint · length varint · entries varint
 *   directory = (kind u8 · offset u48 · length u32 · crc u32)*
 *   trailer   = directory length u32 · version u16 · 0 u16 · magic u32 · crc u32       the crc covers directory and trailer
 * ```
 *
 * Numbered invariants
 *   F1  keys strictly ascend over the whole segment
 *   F2  blocks tile the bytes from 0 to the first section, sections those up to the directory: no byte is outside a checksum
 *   F3  the manifest keeps the trailer's crc, the directory those of the sections, a block its own: a reader that starts at
 *       the manifest notices every changed byte that it reads, without reading the rest
 */
import type { ByteKey } from '../model/byte-key.js';
import { SnapshotCorruptedError } from '../model/errors.js';

/** One entry of a snapshot: a store's value, or null where a delta deletes the key. */
export interface SnapshotEntry {
  readonly key: ByteKey;
  readonly value: Uint8Array | null;
  readonly timestampMs: number;
}

export const SEGMENT_VERSION = 1;
/** `MRSG` */
export const SEGMENT_MAGIC = 0x4d525347;
/** Uncompressed bytes after which a block is closed. */
export const BLOCK_BYTES = 64 * 1024;
/** Bytes after which a segment is closed and the next begun. */
export const SEGMENT_BYTES = 64 * 1024 * 1024;
export const BLOCK_HEADER_BYTES = 9;
export const DIRECTORY_ENTRY_BYTES = 15;
export const TRAILER_BYTES = 16;
export const INDEX_SECTION = 1;
export const FILTER_SECTION = 2;

/** Where a block lies: [offset, offset + length) of the segment, header included. */
export interface BlockReference {
  readonly firstKey: ByteKey;
  readonly offset: number;
  readonly length: number;
  readonly entries: number;
}

/** What a manifest says of a segment. */
export interface SegmentReference {
  /** Name of the object. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly entries: number;
  /** Both inclusive. */
  readonly firstKey: ByteKey;
  readonly lastKey: ByteKey;
  /** The codec that the writer preferred; a block that it did not make smaller is stored as it is. */
  readonly codec: number;
  /** The trailer's crc (F3). */
  readonly crc: number;
  /** A delta overrides, key by key, the segments before it; base segments do not overlap. */
  readonly level: 'base' | 'delta';
  /** Of a delta that is being merged into the base: keys below it are there (P3 of merge-plan.ts). */
  readonly mergedTo?: ByteKey;
}

/** Refuses bytes of an object, naming the object and, where there is one, the block. */
export function corruptedSegment(object: string, what: string, details: object = {}, cause?: unknown): never {
  throw new SnapshotCorruptedError(`${object}: ${what}`, { cause, details: { object, ...details } });
}
