import type { ReadBlock } from './read-block.js';

/** A block that counts for this many more bytes than it has: its objects. */
const BLOCK_OVERHEAD_BYTES = 256;

interface Cached {
  readonly home: Map<number, Cached>;
  readonly segment: string;
  readonly number: number;
  readonly block: ReadBlock;
  /** Asked for since it was last looked at. */
  isUsed: boolean;
}

/** The blocks of one segment that are in memory. */
export interface CachedSegment {
  get(number: number): ReadBlock | null;
  put(number: number, block: ReadBlock): void;
}

/**
 * Blocks of snapshots in memory, up to a budget in bytes: those not asked for lately go first (a clock). One for all stores of a
 * process; a segment's name is unique and its content never changes, so a block is never out of date.
 */
export class BlockCache {
  private readonly budgetBytes: number;
  private readonly segments = new Map<string, Map<number, Cached>>();
  /** In the order in which they are looked at. */
  private readonly ring = new Set<Cached>();
  private held = 0;

  /** @param budgetBytes what blocks may take; one that is larger is not kept */
  constructor(budgetBytes: number) {
    this.budgetBytes = budgetBytes;
  }

  /** What the blocks take. */
  get sizeBytes(): number {
    return this.held;
  }

  of(segment: string): CachedSegment {
    return {
      get: (number) => {
        const cached = this.segments.get(segment)?.get(number);
        if (cached === undefined) return null;
        cached.isUsed = true;
        return cached.block;
      },
      put: (number, block) => this.put(segment, number, block),
    };
  }

  private put(segment: string, number: number, block: ReadBlock): void {
    if (sizeOf(block) > this.budgetBytes) return;
    const home = this.segments.get(segment) ?? new Map<number, Cached>();
    this.segments.set(segment, home);
    const before = home.get(number);
    if (before !== undefined) this.drop(before);
    const cached: Cached = { home, segment, number, block, isUsed: false };
    this.segments.set(segment, home);
    home.set(number, cached);
    this.ring.add(cached);
    this.held += sizeOf(block);
    this.makeRoom();
  }

  /** Ends: each round takes the mark of a block away, or drops it. */
  private makeRoom(): void {
    while (this.held > this.budgetBytes) {
      const [next] = this.ring;
      if (next === undefined) return;
      if (next.isUsed) {
        next.isUsed = false;
        this.ring.delete(next);
        this.ring.add(next);
      } else this.drop(next);
    }
  }

  private drop(cached: Cached): void {
    this.ring.delete(cached);
    cached.home.delete(cached.number);
    if (cached.home.size === 0) this.segments.delete(cached.segment);
    this.held -= sizeOf(cached.block);
  }
}

function sizeOf(block: ReadBlock): number {
  return block.sizeBytes + BLOCK_OVERHEAD_BYTES;
}
