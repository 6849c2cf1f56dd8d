import type { Awaitable } from '../model/awaitable.js';
import { andThen } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { BlockCache, CachedSegment } from './block-cache.js';
import type { KeyFilter } from './key-filter.js';
import { ReadBlock } from './read-block.js';
import type { SegmentReference, SnapshotEntry } from './segment-format.js';
import type { SegmentReader } from './segment-reader.js';

/** Reads of one segment at the same time. */
const READS_AT_ONCE = 16;
/** Bytes of neighbouring blocks that one read takes. */
const RUN_BYTES = 1024 * 1024;

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

  /**
   * Tells of all keys, in order, of which the segment says anything (a value of null deletes): blocks that are not in memory are read several
   * at a time, neighbours together. The entry is a view of its block.
   */
  async findAll(keys: readonly ByteKey[], found: (entry: SnapshotEntry) => void): Promise<void> {
    const { firstKey, lastKey } = this.reference;
    const within = keys.filter((key) => key >= firstKey && key <= lastKey);
    if (within.length === 0) return;
    const filter = await this.readFilter();
    const byBlock = new Map<number, ByteKey[]>();
    for (const key of within) {
      if (filter !== null && !filter.mayHave(key)) continue;
      const number = this.blockOf(key);
      const others = byBlock.get(number);
      if (others === undefined) byBlock.set(number, [key]);
      else others.push(key);
    }
    const look = (block: ReadBlock, number: number) => {
      for (const key of byBlock.get(number) ?? []) {
        const entry = block.find(key);
        if (entry !== null) found(entry);
      }
    };
    await this.eachBlock([...byBlock.keys()], look);
  }

  /** @param numbers ascending */
  private async eachBlock(numbers: readonly number[], look: (block: ReadBlock, number: number) => void): Promise<void> {
    const missing: number[] = [];
    for (const number of numbers) {
      const cached = this.cached.get(number);
      if (cached === null) missing.push(number);
      else look(cached, number);
    }
    const runs = runsOf(missing, this.blocks);
    for (let from = 0; from < runs.length; from += READS_AT_ONCE) {
      const some = runs.slice(from, from + READS_AT_ONCE);
      await Promise.all(
        some.map(async (run) => {
          const blocks = this.readRun(run);
          for (const number of run) look(await (blocks.get(number) as Promise<ReadBlock>), number);
        }),
      );
    }
  }

  /** Blocks that follow each other, with one read for those that are not on their way. */
  private readRun(run: readonly number[]): ReadonlyMap<number, Promise<ReadBlock>> {
    const [first = 0] = run;
    let payloads: Promise<readonly Uint8Array[]> | null = null;
    const read = () => {
      payloads ??= this.reader.payloads(first, first + run.length);
      return payloads;
    };
    const entered = run.map((number) => {
      const block = this.once(number, async () =>
        this.asBlock(number, (await read())[number - first] ?? new Uint8Array(0)),
      );
      void block.catch(() => undefined); // whoever waits for the run hears of it from the first that failed
      return [number, block] as const;
    });
    return new Map(entered);
  }

  block(number: number): Awaitable<ReadBlock> {
    return this.cached.get(number) ?? this.once(number, () => this.readBlock(number));
  }

  private mayHave(key: ByteKey): Awaitable<boolean> {
    return andThen(this.readFilter(), (filter) => filter === null || filter.mayHave(key));
  }

  private readFilter(): Awaitable<KeyFilter | null> {
    const { filter } = this;
    if (filter !== 'not read') return filter;
    return this.once(-1, () => this.reader.filter()).then((read) => {
      this.filter = read;
      return read;
    });
  }

  private async readBlock(number: number): Promise<ReadBlock> {
    const [payload] = await this.reader.payloads(number, number + 1);
    return this.asBlock(number, payload ?? new Uint8Array(0));
  }

  private asBlock(number: number, payload: Uint8Array): ReadBlock {
    const { name } = this.reference;
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

/** Numbers in runs that follow each other, each no longer than one read. */
function runsOf(numbers: readonly number[], blocks: SegmentReader['blocks']): readonly (readonly number[])[] {
  const runs: number[][] = [];
  let run: number[] = [];
  let bytes = 0;
  for (const number of numbers) {
    const length = blocks[number]?.length ?? 0;
    if (run.length === 0 || run.at(-1) !== number - 1 || bytes + length > RUN_BYTES) {
      run = [];
      runs.push(run);
      bytes = 0;
    }
    run.push(number);
    bytes += length;
  }
  return runs;
}
