import type { Host } from '../host/host.js';
import type { ByteKey } from '../model/byte-key.js';
import { asBuffer } from '../model/byte-key.js';
import { decodeEntries, openBlock } from './block.js';
import { ByteReader } from './byte-reader.js';
import { KeyFilter } from './key-filter.js';
import {
  type BlockReference,
  corruptedSegment,
  DIRECTORY_ENTRY_BYTES,
  FILTER_SECTION,
  INDEX_SECTION,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  type SegmentReference,
  type SnapshotEntry,
  TRAILER_BYTES,
} from './segment-format.js';
import type { SnapshotStore } from './snapshot-store.js';

/** Bytes asked for at the end of a segment: trailer, directory and, unless it is large, the index, in one read. */
const TAIL_BYTES = 64 * 1024;
/** Bytes of neighbouring blocks that one read takes. */
const READ_AHEAD_BYTES = 1024 * 1024;

type ReadingHost = Pick<Host, 'codec' | 'digest'>;

/** A segment whose index was read and checked. */
export interface SegmentReader {
  readonly reference: SegmentReference;
  readonly blocks: readonly BlockReference[];
  /**
   * Entries block by block, each block checked when it is reached; values are views.
   *
   * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED naming the object and the block
   */
  read(): AsyncGenerator<readonly SnapshotEntry[]>;
  /** Reads and checks every block and the key filter. Errors as `read`. */
  verify(): Promise<void>;
  /** The checked payloads of blocks [from, to) of `blocks`, with one read. Errors as `read`. */
  payloads(from: number, to: number): Promise<readonly Uint8Array[]>;
  /** Which keys it may have; null if it does not say. Errors as `read`. */
  filter(): Promise<KeyFilter | null>;
}

/**
 * Reads and checks trailer, directory and index of a segment.
 *
 * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED naming the object
 */
export async function openSegment(
  store: Pick<SnapshotStore, 'read'>,
  host: ReadingHost,
  reference: SegmentReference,
): Promise<SegmentReader> {
  const { name, sizeBytes } = reference;
  const tailStart = Math.max(0, sizeBytes - TAIL_BYTES);
  // One byte more than there should be: an object that is too long is not the one the manifest means.
  const tail = await store.read(name, { from: tailStart, to: sizeBytes + 1 });
  if (tail === null) return corruptedSegment(name, 'the object is missing');
  if (tail.length !== sizeBytes - tailStart) corruptedSegment(name, `the object does not have ${sizeBytes} bytes`);
  const sections = findSections(host, reference, asBuffer(tail));
  const section = sections.find(({ kind }) => kind === INDEX_SECTION) ?? corruptedSegment(name, 'there is no index');
  const index =
    section.offset >= tailStart
      ? tail.subarray(section.offset - tailStart, section.offset - tailStart + section.length)
      : await store.read(name, { from: section.offset, to: section.offset + section.length });
  if (index === null || index.length !== section.length || host.digest.crc32c(index) !== section.crc) {
    return corruptedSegment(name, 'the index does not have its checksum');
  }
  const blocks = decodeIndex(reference, index, sections[0]?.offset ?? section.offset);
  const filterSection = sections.find(({ kind }) => kind === FILTER_SECTION);
  const chunks = () => readChunks(store, reference, blocks);
  const filter = async () => (filterSection === undefined ? null : readFilter(store, host, name, filterSection));
  return {
    reference,
    blocks,
    async *read() {
      let lastKey: ByteKey | null = null;
      for await (const { bytes, block, number } of chunks()) {
        const origin = { object: name, block: number };
        const entries = decodeEntries(openBlock(host, bytes, origin), origin);
        lastKey = checkOrder(entries, block, lastKey, origin);
        yield entries;
      }
    },
    async verify() {
      for await (const { bytes, number } of chunks()) openBlock(host, bytes, { object: name, block: number });
      await filter();
    },
    async payloads(from, to) {
      const [first, last] = [blocks[from], blocks[to - 1]];
      if (first === undefined || last === undefined)
        return corruptedSegment(name, `there are no blocks ${from} to ${to}`);
      const bytes = await store.read(name, { from: first.offset, to: last.offset + last.length });
      if (bytes === null) return corruptedSegment(name, 'the object is missing');
      return blocks.slice(from, to).map(({ offset, length }, index) => {
        const start = offset - first.offset;
        return openBlock(host, bytes.subarray(start, start + length), { object: name, block: from + index });
      });
    },
    filter,
  };
}

interface Section {
  readonly kind: number;
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
}

function findSections(host: ReadingHost, { name, sizeBytes, crc }: SegmentReference, tail: Buffer): readonly Section[] {
  if (tail.length < TRAILER_BYTES) corruptedSegment(name, 'the object is too short');
  const trailer = tail.subarray(-TRAILER_BYTES);
  const directoryLength = trailer.readUInt32BE(0);
  if (trailer.readUInt32BE(8) !== SEGMENT_MAGIC || directoryLength + TRAILER_BYTES > tail.length) {
    corruptedSegment(name, 'the object does not end as a segment does');
  }
  const covered = tail.subarray(-(directoryLength + TRAILER_BYTES));
  if (host.digest.crc32c(covered.subarray(0, -4)) !== crc || trailer.readUInt32BE(12) !== crc) {
    corruptedSegment(name, 'the trailer does not have the checksum in the manifest');
  }
  const version = trailer.readUInt16BE(4);
  if (version !== SEGMENT_VERSION) corruptedSegment(name, `version ${version} is unknown here`, { version });
  const sections = decodeDirectory(covered.subarray(0, directoryLength));
  checkTiling(name, sections, sizeBytes - TRAILER_BYTES - directoryLength);
  return sections;
}

function decodeDirectory(directory: Buffer): readonly Section[] {
  const sections: Section[] = [];
  for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= directory.length; at += DIRECTORY_ENTRY_BYTES) {
    sections.push({
      kind: directory.readUInt8(at),
      offset: directory.readUIntBE(at + 1, 6),
      length: directory.readUInt32BE(at + 7),
      crc: directory.readUInt32BE(at + 11),
    });
  }
  return sections;
}

/** F2: parts follow each other without gaps up to `end`. */
function checkTiling(name: string, parts: readonly { offset: number; length: number }[], end: number): void {
  let at = parts[0]?.offset ?? end;
  for (const part of parts) {
    if (part.offset !== at) corruptedSegment(name, 'its parts do not follow each other', { at: part.offset });
    at += part.length;
  }
  if (at !== end) corruptedSegment(name, 'its parts do not reach its end', { at, end });
}

function decodeIndex(reference: SegmentReference, bytes: Uint8Array, blocksEnd: number): readonly BlockReference[] {
  const { name } = reference;
  const reader = new ByteReader(bytes);
  const entries = reader.varint();
  const lastKey = reader.key();
  const count = reader.varint();
  const blocks: BlockReference[] = [];
  for (let number = 0; number < count; number += 1) {
    blocks.push({
      firstKey: reader.key(),
      offset: reader.varint(),
      length: reader.varint(),
      entries: reader.varint(),
    });
  }
  const isAsReferred =
    reader.isAtEnd &&
    entries === reference.entries &&
    lastKey === reference.lastKey &&
    blocks[0]?.firstKey === reference.firstKey &&
    blocks[0].offset === 0;
  if (!isAsReferred) corruptedSegment(name, 'the index does not fit the manifest');
  checkTiling(name, blocks, blocksEnd);
  return blocks;
}

async function readFilter(
  store: Pick<SnapshotStore, 'read'>,
  host: ReadingHost,
  name: string,
  { offset, length, crc }: Section,
): Promise<KeyFilter> {
  const bytes = await store.read(name, { from: offset, to: offset + length });
  if (bytes === null) return corruptedSegment(name, 'the object is missing');
  if (host.digest.crc32c(bytes) !== crc) corruptedSegment(name, 'the key filter does not have its checksum');
  return KeyFilter.decode(bytes) ?? corruptedSegment(name, 'the key filter is broken');
}

interface Chunk {
  readonly bytes: Uint8Array;
  readonly block: BlockReference;
  readonly number: number;
}

async function* readChunks(
  store: Pick<SnapshotStore, 'read'>,
  { name }: SegmentReference,
  blocks: readonly BlockReference[],
): AsyncGenerator<Chunk> {
  let bytes: Uint8Array = new Uint8Array(0);
  let bytesStart = 0;
  for (const [number, block] of blocks.entries()) {
    if (block.offset + block.length > bytesStart + bytes.length) {
      bytesStart = block.offset;
      const to = bytesStart + Math.max(block.length, READ_AHEAD_BYTES);
      bytes = (await store.read(name, { from: bytesStart, to })) ?? corruptedSegment(name, 'the object is missing');
    }
    const start = block.offset - bytesStart;
    yield { bytes: bytes.subarray(start, start + block.length), block, number };
  }
}

/** F1, and what the index says of the block. */
function checkOrder(
  entries: readonly SnapshotEntry[],
  block: BlockReference,
  lastKey: ByteKey | null,
  origin: { readonly object: string; readonly block: number },
): ByteKey | null {
  let last = lastKey;
  for (const { key } of entries) {
    if (last !== null && key <= last) corruptedSegment(origin.object, `block ${origin.block} is out of order`, origin);
    last = key;
  }
  if (entries.length !== block.entries || entries[0]?.key !== block.firstKey) {
    corruptedSegment(origin.object, `block ${origin.block} is not the one in the index`, origin);
  }
  return last;
}
