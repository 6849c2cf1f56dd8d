import type { Host } from '../host/host.js';
import { type MergeSource, sourceOfRange, sourceOfSegment } from './merge.js';
import type { SegmentReference } from './segment-format.js';
import { type BlockRange, openSegment, type SegmentReader } from './segment-reader.js';
import type { EncodedSegment } from './segment-writer.js';
import type { SnapshotStore } from './snapshot-store.js';

/** Opens what a new snapshot is merged from. @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED, as each method */
export class MergingSegments {
  private readonly store: Pick<SnapshotStore, 'read'>;
  private readonly host: Pick<Host, 'codec' | 'digest'>;

  constructor(of: { readonly store: Pick<SnapshotStore, 'read'>; readonly host: Pick<Host, 'codec' | 'digest'> }) {
    this.store = of.store;
    this.host = of.host;
  }

  /** Whole segments as sources. */
  async inStore(references: readonly SegmentReference[]): Promise<readonly MergeSource[]> {
    return (await this.open(references)).map(sourceOfSegment);
  }

  /** Segments that are not written yet. */
  async inMemory(encoded: readonly EncodedSegment[]): Promise<readonly MergeSource[]> {
    return (await this.openEncoded(encoded)).map(sourceOfSegment);
  }

  /** What segments, those that are not written yet last, say of a range of keys. */
  async ofRange(
    references: readonly SegmentReference[],
    encoded: readonly EncodedSegment[],
    range: BlockRange,
  ): Promise<readonly MergeSource[]> {
    const readers = [...(await this.open(references)), ...(await this.openEncoded(encoded))];
    return readers.filter((reader) => meets(reader, range)).map((reader) => sourceOfRange(reader, range));
  }

  /** One after the other: a snapshot is written beside work that is in more of a hurry. */
  private async open(references: readonly SegmentReference[]): Promise<readonly SegmentReader[]> {
    const readers: SegmentReader[] = [];
    for (const reference of references) readers.push(await openSegment(this.store, this.host, reference));
    return readers;
  }

  private openEncoded(encoded: readonly EncodedSegment[]): Promise<readonly SegmentReader[]> {
    const readers = encoded.map(({ bytes, reference }) =>
      openSegment({ read: async (_name, range) => bytes.subarray(range?.from, range?.to) }, this.host, {
        ...reference,
        name: 'the delta',
        level: 'delta',
      }),
    );
    return Promise.all(readers);
  }
}

function meets({ reference: { firstKey, lastKey } }: SegmentReader, { from, to }: BlockRange): boolean {
  return (from === null || lastKey >= from) && (to === null || firstKey < to);
}
