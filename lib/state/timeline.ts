import type { ByteKey } from '../model/byte-key.js';
import { appendAll } from '../model/lists.js';
import type { TimeRange } from './byte-store.js';
import type { StoreLayout } from './store-layout.js';

/**
 * Which keys of a store lie in which segment of time. Kafka: `Segments`.
 *
 * Order inside a segment is made when it is asked for: writing costs one look-up.
 */
export class Timeline {
  private readonly layout: StoreLayout;
  private readonly segments = new Map<number, Set<ByteKey>>();
  /** Not above the id of any segment. */
  private oldest = Number.POSITIVE_INFINITY;

  constructor(layout: StoreLayout) {
    this.layout = layout;
  }

  add(key: ByteKey): void {
    const id = this.segmentOf(this.layout.timeOf(key));
    const segment = this.segments.get(id);
    if (segment === undefined) this.segments.set(id, new Set([key]));
    else segment.add(key);
    if (id < this.oldest) this.oldest = id;
  }

  remove(key: ByteKey): void {
    const id = this.segmentOf(this.layout.timeOf(key));
    const segment = this.segments.get(id);
    if (segment?.delete(key) === true && segment.size === 0) this.segments.delete(id);
  }

  clear(): void {
    this.segments.clear();
    this.oldest = Number.POSITIVE_INFINITY;
  }

  /**
   * Keys of a range of time: segment after segment, in the layout's order within each. `reverse` turns all of it round.
   * A segment's keys are those it has when the walk comes to it.
   */
  *keys({ fromMs, toMs, reverse = false }: TimeRange): Generator<ByteKey> {
    const ids = [...this.segments.keys()].filter((id) => id >= this.segmentOf(fromMs) && id <= this.segmentOf(toMs));
    ids.sort((a, b) => a - b);
    if (reverse) ids.reverse();
    for (const id of ids) {
      const within = [...(this.segments.get(id) ?? [])].filter((key) => {
        const timeMs = this.layout.timeOf(key);
        return timeMs >= fromMs && timeMs <= toMs;
      });
      within.sort(this.layout.compare ?? compareKeys);
      yield* reverse ? within.reverse() : within;
    }
  }

  /** Takes out all segments that end before `firstLiveMs`, and answers their keys: oldest segment first, in key order. */
  takeExpired(firstLiveMs: number): readonly ByteKey[] {
    const firstLive = this.segmentOf(firstLiveMs);
    if (this.oldest >= firstLive) return [];
    const ids = [...this.segments.keys()].sort((a, b) => a - b);
    const expired = ids.filter((id) => id < firstLive);
    this.oldest = ids[expired.length] ?? Number.POSITIVE_INFINITY;
    const keys: ByteKey[] = [];
    for (const id of expired) {
      appendAll(keys, [...(this.segments.get(id) ?? [])].sort(compareKeys));
      this.segments.delete(id);
    }
    return keys;
  }

  private segmentOf(timeMs: number): number {
    return Math.floor(timeMs / this.layout.segmentMs);
  }
}

export function compareKeys(a: ByteKey, b: ByteKey): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
