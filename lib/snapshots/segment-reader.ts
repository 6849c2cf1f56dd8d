import type { Host } from '../host/host.js';
import { type Awaitable, isPromise } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import { asBuffer } from '../model/byte-key.js';
import { type BlockOrigin, decodeEntries, openBlockAside } from './block.js';
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
const READ_AHEAD_BYTES = 512 * 1024;

type ReadingHost = Pick<Host, 'codec' | 'digest'>;

/** Keys from (inclusive) to (exclusive); null is open. */
export interface BlockRange {
  readonly from: ByteKey | null;
  readonly to: ByteKey | null;
}

/** A segment whose index was read and checked. */
export interface SegmentReader {
  readonly reference: SegmentReference;
  readonly blocks: readonly BlockReference[];
  /**
   * Entries block by block, each block checked when it is reached; values are views.
   *
   * @param range the blocks in which keys of it may lie; absent: all
   * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED naming the object and the block
   */
  read(range?: BlockRange): AsyncGenerator<readonly SnapshotEntry[]>;
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
  const chunks = (range?: BlockRange) => readChunks(store, reference, blocks, range);
  const filter = async () => (filterSection === undefined ? null : readFilter(store, host, name, filterSection));
  return {
    reference,
    blocks,
    async *read(range) {
      let lastKey: ByteKey | null = null;
      for await (const opened of ahead(chunks(range), (chunk) => openChunk(host, name, chunk))) {
        for (const { payload, block, origin } of opened) {
          const entries = decodeEntries(await payload, origin);
          lastKey = checkOrder(entries, block, lastKey, origin);
          yield entries;
        }
      }
    },
    async verify() {
      for await (const opened of ahead(chunks(), (chunk) => openChunk(host, name, chunk)))
        for (const { payload } of opened) await payload;
      await filter();
    },
    async payloads(from, to) {
      const stored = await readBlocks(store, name, blocks, from, to);
      return Promise.all(
        stored.map(async ({ bytes, number }) => openBlockAside(host, bytes, { object: name, block: number })),
      );
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

/** A block as it lies in the store. */
interface StoredBlock {
  readonly bytes: Uint8Array;
  readonly block: BlockReference;
  readonly number: number;
}

interface OpenedBlock {
  readonly payload: Awaitable<Uint8Array>;
  readonly block: BlockReference;
  readonly origin: BlockOrigin;
}

/** Neighbouring blocks that one read has brought, one chunk after the other. */
async function* readChunks(
  store: Pick<SnapshotStore, 'read'>,
  { name }: SegmentReference,
  blocks: readonly BlockReference[],
  { from, to }: BlockRange = { from: null, to: null },
): AsyncGenerator<readonly StoredBlock[]> {
  let number = 0;
  const isBefore = (next: BlockReference | undefined) => from !== null && next !== undefined && next.firstKey <= from;
  while (number < blocks.length && isBefore(blocks[number + 1])) number += 1;
  for (;;) {
    const start = blocks[number]?.offset ?? 0;
    let end = number;
    for (; end < blocks.length; end += 1) {
      const { offset, length, firstKey } = blocks[end] as BlockReference;
      if (to !== null && firstKey >= to) break;
      if (end > number && offset + length - start > READ_AHEAD_BYTES) break;
    }
    if (end === number) return;
    yield await readBlocks(store, name, blocks, number, end);
    number = end;
  }
}

/** Blocks [from, to) with one read. @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if there are none such, or no object */
async function readBlocks(
  store: Pick<SnapshotStore, 'read'>,
  name: string,
  blocks: readonly BlockReference[],
  from: number,
  to: number,
): Promise<readonly StoredBlock[]> {
  const [first, last] = [blocks[from], blocks[to - 1]];
  if (first === undefined || last === undefined) return corruptedSegment(name, `there are no blocks ${from} to ${to}`);
  const bytes = await store.read(name, { from: first.offset, to: last.offset + last.length });
  if (bytes === null) return corruptedSegment(name, 'the object is missing');
  return blocks.slice(from, to).map((block, index) => {
    const start = block.offset - first.offset;
    return { bytes: bytes.subarray(start, start + block.length), block, number: from + index };
  });
}

/** Begins to open the blocks of a chunk, all at the same time where the host can. */
function openChunk(host: ReadingHost, object: string, chunk: readonly StoredBlock[]): readonly OpenedBlock[] {
  return chunk.map(({ bytes, block, number }) => {
    const origin = { object, block: number };
    const payload = openBlockAside(host, bytes, origin);
    if (isPromise(payload)) payload.catch(() => undefined); // heard by who comes to it, if anybody does
    return { payload, block, origin };
  });
}

/** Begins with the next item before it gives the one before: what the one waits for goes on beside the other. */
async function* ahead<T, R>(items: AsyncGenerator<T>, begin: (item: T) => R): AsyncGenerator<R> {
  const next = async () => {
    const { done, value } = await items.next();
    return done === true ? null : { begun: begin(value) };
  };
  let coming = next();
  try {
    for (;;) {
      const current = await coming;
      if (current === null) return;
      coming = next();
      coming.catch(() => undefined); // heard in the next turn, if there is one
      yield current.begun;
    }
  } finally {
    await coming.catch(() => null);
    await items.return(undefined);
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
