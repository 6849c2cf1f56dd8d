import type { ByteKey } from '../model/byte-key.js';
import type { BlockOrigin } from './block.js';
import { ByteReader } from './byte-reader.js';
import { corruptedSegment, type SnapshotEntry } from './segment-format.js';

/** A block of a segment in memory, as it lies there: an entry is made when it is asked for. */
export class ReadBlock {
  private readonly reader: ByteReader;
  private readonly origin: BlockOrigin;
  /** Where each entry begins. */
  private readonly starts: Uint32Array;

  /** @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if the entries are broken, or not as many as the index says */
  constructor(payload: Uint8Array, entries: number, origin: BlockOrigin) {
    const reader = new ByteReader(payload);
    this.reader = reader;
    this.origin = origin;
    this.starts = new Uint32Array(entries);
    try {
      for (let number = 0; number < entries; number += 1) {
        this.starts[number] = reader.at;
        reader.bytes(reader.varint());
        const length = reader.varint();
        reader.int64();
        if (length > 0) reader.bytes(length - 1);
      }
    } catch (cause) {
      corruptedSegment(origin.object, `block ${origin.block} holds broken entries`, origin, cause);
    }
    if (!reader.isAtEnd) corruptedSegment(origin.object, `block ${origin.block} is not the one in the index`, origin);
  }

  /** Entries. */
  get count(): number {
    return this.starts.length;
  }

  get sizeBytes(): number {
    return this.reader.buffer.length + this.starts.byteLength;
  }

  /** The entry at a place; its value is a view of the block. */
  entry(place: number): SnapshotEntry {
    const reader = this.readerAt(place);
    const key = reader.key();
    const length = reader.varint();
    const timestampMs = reader.int64();
    return { key, value: length === 0 ? null : reader.bytes(length - 1), timestampMs };
  }

  /** The entry of a key, or null. */
  find(key: ByteKey): SnapshotEntry | null {
    const place = this.placeOf(key);
    return place < this.count && this.compareAt(place, key) === 0 ? this.entry(place) : null;
  }

  /** The place of the first key ≥ `key`; `count` if there is none. */
  placeOf(key: ByteKey): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compareAt(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Below 0: the key at a place is below `key`; above: above; 0: it is that key. No string is made of it. */
  private compareAt(place: number, key: ByteKey): number {
    const { reader } = this;
    reader.at = this.starts[place] as number;
    const length = reader.varint();
    const { buffer, at } = reader;
    const common = Math.min(length, key.length);
    for (let index = 0; index < common; index += 1) {
      const difference = (buffer[at + index] as number) - key.charCodeAt(index);
      if (difference !== 0) return difference;
    }
    return length - key.length;
  }

  private readerAt(place: number): ByteReader {
    const start = this.starts[place];
    if (start === undefined) return corruptedSegment(this.origin.object, `there is no entry ${place}`, this.origin);
    this.reader.at = start;
    return this.reader;
  }
}
