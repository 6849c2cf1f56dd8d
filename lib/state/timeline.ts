import type { ByteKey } from '../model/byte-key.js';
import type { TimeRange } from './byte-store.js';
import type { EntryTable } from './entry-table.js';
import type { StoreLayout } from './store-layout.js';

const FIRST_NUMBERS = 8;

/** Entries of one segment: the first `count` of `numbers`. Numbers of entries that have gone stay among them until there are many. */
interface Segment {
  numbers: Uint32Array;
  count: number;
  /** Of the entries, how many are there. */
  live: number;
}

/**
 * Which entries of a store lie in which segment of time. Kafka: `Segments`.
 *
 * Order inside a segment is made when it is asked for: writing costs one look-up.
 */
export class Timeline {
  private readonly layout: StoreLayout;
  private readonly entries: EntryTable;
  private readonly segments = new Map<number, Segment>();
  /** Not above the id of any segment. */
  private oldest = Number.POSITIVE_INFINITY;

  constructor(layout: StoreLayout, entries: EntryTable) {
    this.layout = layout;
    this.entries = entries;
  }

  add(number: number, key: ByteKey): void {
    const id = this.segmentOf(this.layout.timeOf(key));
    let segment = this.segments.get(id);
    if (segment === undefined) {
      segment = { numbers: new Uint32Array(FIRST_NUMBERS), count: 0, live: 0 };
      this.segments.set(id, segment);
    }
    if (segment.count === segment.numbers.length) this.makeRoom(id, segment);
    segment.numbers[segment.count] = number;
    segment.count += 1;
    segment.live += 1;
    if (id < this.oldest) this.oldest = id;
  }

  remove(key: ByteKey): void {
    const id = this.segmentOf(this.layout.timeOf(key));
    const segment = this.segments.get(id);
    if (segment === undefined) return;
    segment.live -= 1;
    if (segment.live === 0) this.segments.delete(id);
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
      const segment = this.segments.get(id);
      if (segment === undefined) continue;
      const within = [...this.keysOf(id, segment).values()].filter((key) => {
        const timeMs = this.layout.timeOf(key);
        return timeMs >= fromMs && timeMs <= toMs;
      });
      within.sort(this.layout.compare ?? compareKeys);
      yield* reverse ? within.reverse() : within;
    }
  }

  /** Takes out all segments that end before `firstLiveMs`, and answers their entries: oldest segment first, in key order. */
  takeExpired(firstLiveMs: number): readonly { readonly number: number; readonly key: ByteKey }[] {
    const firstLive = this.segmentOf(firstLiveMs);
    if (this.oldest >= firstLive) return [];
    const ids = [...this.segments.keys()].sort((a, b) => a - b);
    const expired = ids.filter((id) => id < firstLive);
    this.oldest = ids[expired.length] ?? Number.POSITIVE_INFINITY;
    const taken: { number: number; key: ByteKey }[] = [];
    for (const id of expired) {
      const segment = this.segments.get(id);
      if (segment === undefined) continue;
      const entries = [...this.keysOf(id, segment)].map(([number, key]) => ({ number, key }));
      entries.sort((a, b) => compareKeys(a.key, b.key));
      for (const entry of entries) taken.push(entry);
      this.segments.delete(id);
    }
    return taken;
  }

  /** The entries of a segment that are there, by number. A number may stand there twice, or be another segment's by now. */
  private keysOf(id: number, { numbers, count }: Segment): Map<number, ByteKey> {
    const keys = new Map<number, ByteKey>();
    for (let at = 0; at < count; at += 1) {
      const number = numbers[at] as number;
      if (!this.entries.has(number) || keys.has(number)) continue;
      const key = this.entries.key(number);
      if (this.segmentOf(this.layout.timeOf(key)) === id) keys.set(number, key);
    }
    return keys;
  }

  /** Forgets those that have gone where they are many, else grows. */
  private makeRoom(id: number, segment: Segment): void {
    const { numbers, count, live } = segment;
    if (live > count / 2) {
      segment.numbers = new Uint32Array(numbers.length * 2);
      segment.numbers.set(numbers);
      return;
    }
    let kept = 0;
    for (const number of this.keysOf(id, segment).keys()) numbers[kept++] = number;
    segment.count = kept;
  }

  private segmentOf(timeMs: number): number {
    return Math.floor(timeMs / this.layout.segmentMs);
  }
}

export function compareKeys(a: ByteKey, b: ByteKey): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
