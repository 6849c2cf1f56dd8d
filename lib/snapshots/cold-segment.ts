import type { Awaitable } from '../model/awaitable.js';
import { andThen } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { BlockCache, CachedSegment } from './block-cache.js';
import type { KeyFilter } from './key-filter.js';
import { ReadBlock } from './read-block.js';
import type { SegmentReference, SnapshotEntry } from './segment-format.js';
import type { SegmentReader } from './segment-reader.js';

/** A segment that is read a block at a time, as keys are asked for. */
export class ColdSegment {
  private readonly reader: SegmentReader;
  private readonly cached: CachedSegment;
  private filter: KeyFilter | null | 'not read' = 'not read';
  /** Blocks, and the filter (−1), on their way: who asks for one that is waits for the same. */
  private readonly coming = new Map<number, Promise<unknown>>();

  constructor(reader: SegmentReader, cache: BlockCache) {
    this.reader = reader;
    this.cached = cache.of(reader.reference.name);
  }

  get reference(): SegmentReference {
    return this.reader.reference;
  }

  get blocks(): SegmentReader['blocks'] {
    return this.reader.blocks;
  }

  /** What it says of a key (a value of null deletes), or null; at once where filter and block are in memory. */
  find(key: ByteKey): Awaitable<SnapshotEntry | null> {
    const { firstKey, lastKey } = this.reference;
    if (key < firstKey || key > lastKey) return null;
    return andThen(this.mayHave(key), (may) =>
      may ? andThen(this.block(this.blockOf(key)), (block) => block.find(key)) : null,
    );
  }

  /** The number of the block in which a key would lie: the last that does not begin after it; −1 before the first. */
  blockOf(key: ByteKey): number {
    const { blocks } = this.reader;
    let low = 0;
    let high = blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((blocks[middle]?.firstKey as ByteKey) <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  block(number: number): Awaitable<ReadBlock> {
    return this.cached.get(number) ?? this.once(number, () => this.readBlock(number));
  }

  private mayHave(key: ByteKey): Awaitable<boolean> {
    const { filter } = this;
    if (filter !== 'not read') return filter === null || filter.mayHave(key);
    return this.once(-1, () => this.reader.filter()).then((read) => {
      this.filter = read;
      return read === null || read.mayHave(key);
    });
  }

  private async readBlock(number: number): Promise<ReadBlock> {
    const { name } = this.reference;
    const payload = await this.reader.payload(number);
    const block = new ReadBlock(payload, this.reader.blocks[number]?.entries ?? 0, { object: name, block: number });
    this.cached.put(number, block);
    return block;
  }

  private once<T>(number: number, read: () => Promise<T>): Promise<T> {
    const coming = this.coming.get(number);
    if (coming !== undefined) return coming as Promise<T>;
    const started = read().finally(() => this.coming.delete(number));
    this.coming.set(number, started);
    return started;
  }
}
