import type { Host } from '../host/host.js';
import type { ByteKey } from '../model/byte-key.js';
import { InternalError } from '../model/errors.js';
import { encodeBlock, writeEntry } from './block.js';
import { ByteWriter } from './byte-writer.js';
import { KeyFilterBuilder } from './key-filter.js';
import {
  BLOCK_BYTES,
  type BlockReference,
  DIRECTORY_ENTRY_BYTES,
  FILTER_SECTION,
  INDEX_SECTION,
  SEGMENT_BYTES,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  type SegmentReference,
  type SnapshotEntry,
  TRAILER_BYTES,
} from './segment-format.js';

/** A segment before it has a name. */
export interface EncodedSegment {
  readonly bytes: Buffer;
  readonly reference: Omit<SegmentReference, 'name' | 'level'>;
}

export interface SegmentSizes {
  readonly blockBytes?: number;
  readonly segmentBytes?: number;
}

/** Makes one segment from entries in order. */
export class SegmentWriter {
  private readonly host: Pick<Host, 'codec' | 'digest'>;
  private readonly blockBytes: number;
  private readonly segmentBytes: number;
  private readonly codec: number;
  private readonly payload = new ByteWriter();
  private readonly filter = new KeyFilterBuilder();
  private readonly blocks: Buffer[] = [];
  private readonly references: BlockReference[] = [];
  private firstKeyOfBlock: ByteKey | null = null;
  private lastKey: ByteKey | null = null;
  private entriesInBlock = 0;
  private closedBytes = 0;

  /** @param after every key must be above it; null: no bound */
  constructor(host: Pick<Host, 'codec' | 'digest'>, sizes: SegmentSizes = {}, after: ByteKey | null = null) {
    this.host = host;
    this.lastKey = after;
    this.blockBytes = sizes.blockBytes ?? BLOCK_BYTES;
    this.segmentBytes = sizes.segmentBytes ?? SEGMENT_BYTES;
    this.codec = host.codec.ids[0] ?? 0;
  }

  get isEmpty(): boolean {
    return this.references.length === 0 && this.entriesInBlock === 0;
  }

  /** Whether the next entry belongs into a new segment. */
  get isFull(): boolean {
    return this.closedBytes >= this.segmentBytes;
  }

  /** @throws {InternalError} STREAMS_INTERNAL if the key is not above the last one (F1) */
  add(entry: SnapshotEntry): void {
    if (this.lastKey !== null && entry.key <= this.lastKey) {
      throw new InternalError('entries of a snapshot are out of order', {
        details: { key: Buffer.from(entry.key, 'latin1').toString('hex') },
      });
    }
    this.firstKeyOfBlock ??= entry.key;
    this.lastKey = entry.key;
    this.entriesInBlock += 1;
    this.filter.add(entry.key);
    writeEntry(this.payload, entry);
    if (this.payload.length >= this.blockBytes) this.closeBlock();
  }

  /** Ends the segment. @throws {InternalError} STREAMS_INTERNAL if it has no entry */
  finish(): EncodedSegment {
    this.closeBlock();
    const firstKey = this.references[0]?.firstKey;
    if (firstKey === undefined || this.lastKey === null) throw new InternalError('a segment needs an entry');
    const entries = this.references.reduce((sum, block) => sum + block.entries, 0);
    const index = encodeIndex(this.references, this.lastKey, entries);
    const sections = [
      { kind: FILTER_SECTION, bytes: this.filter.encode() },
      { kind: INDEX_SECTION, bytes: index }, // last, since readers begin at the end
    ];
    const { tail, crc } = this.encodeTail(sections);
    const bytes = Buffer.concat([...this.blocks, ...sections.map((section) => section.bytes), tail]);
    return {
      bytes,
      reference: { sizeBytes: bytes.length, entries, firstKey, lastKey: this.lastKey, codec: this.codec, crc },
    };
  }

  private closeBlock(): void {
    if (this.firstKeyOfBlock === null) return;
    const block = encodeBlock(this.host, this.payload.view(), this.codec);
    const { closedBytes: offset, firstKeyOfBlock: firstKey, entriesInBlock: entries } = this;
    this.references.push({ firstKey, offset, length: block.length, entries });
    this.blocks.push(block);
    this.closedBytes += block.length;
    this.payload.reset();
    this.firstKeyOfBlock = null;
    this.entriesInBlock = 0;
  }

  private encodeTail(sections: readonly { readonly kind: number; readonly bytes: Buffer }[]): {
    tail: Buffer;
    crc: number;
  } {
    const { digest } = this.host;
    const directoryLength = sections.length * DIRECTORY_ENTRY_BYTES;
    const tail = Buffer.alloc(directoryLength + TRAILER_BYTES);
    let offset = this.closedBytes;
    for (const [number, { kind, bytes }] of sections.entries()) {
      const at = number * DIRECTORY_ENTRY_BYTES;
      tail.writeUInt8(kind, at);
      tail.writeUIntBE(offset, at + 1, 6);
      tail.writeUInt32BE(bytes.length, at + 7);
      tail.writeUInt32BE(digest.crc32c(bytes), at + 11);
      offset += bytes.length;
    }
    tail.writeUInt32BE(directoryLength, directoryLength);
    tail.writeUInt16BE(SEGMENT_VERSION, directoryLength + 4);
    tail.writeUInt32BE(SEGMENT_MAGIC, directoryLength + 8);
    const crc = digest.crc32c(tail.subarray(0, -4));
    tail.writeUInt32BE(crc, directoryLength + 12);
    return { tail, crc };
  }
}

function encodeIndex(blocks: readonly BlockReference[], lastKey: ByteKey, entries: number): Buffer {
  const index = new ByteWriter();
  index.varint(entries);
  index.latin1(lastKey);
  index.varint(blocks.length);
  for (const block of blocks) {
    index.latin1(block.firstKey);
    index.varint(block.offset);
    index.varint(block.length);
    index.varint(block.entries);
  }
  return index.view();
}
