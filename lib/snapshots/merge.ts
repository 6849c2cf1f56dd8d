import type { ByteKey } from '../model/byte-key.js';
import { BATCH_ENTRIES } from './encode-segments.js';
import type { SnapshotEntry } from './segment-format.js';
import type { BlockRange, SegmentReader } from './segment-reader.js';

/** One run of entries in order of their keys. */
export interface MergeSource {
  /** Where it is known before the run is read, that is opened only when its turn comes; else null. */
  readonly firstKey: ByteKey | null;
  read(): AsyncIterator<readonly SnapshotEntry[]>;
}

/** A segment as a source. */
export function sourceOfSegment(reader: SegmentReader): MergeSource {
  return { firstKey: reader.reference.firstKey, read: () => reader.read() };
}

/** What a segment has of some keys as a source. */
export function sourceOfRange(reader: SegmentReader, range: BlockRange): MergeSource {
  const { from, to } = range;
  const isWithin = ({ key }: SnapshotEntry) => (from === null || key >= from) && (to === null || key < to);
  async function* within() {
    for await (const batch of reader.read(range)) yield batch.filter(isWithin);
  }
  return { firstKey: null, read: within };
}

/**
 * Merges runs, oldest first: of entries with one key the one of the latest run wins, and a delete (null) is left out, since
 * nothing older is left that it could delete; unless `keepsDeletes` says that there is.
 *
 * Runs that do not overlap (base segments) are read one after another, and only one block of each is held.
 */
export async function* mergeSources(
  sources: readonly MergeSource[],
  keepsDeletes = false,
): AsyncGenerator<readonly SnapshotEntry[]> {
  const cursors = sources.map((source) => new Cursor(source));
  for (const [index, { firstKey }] of sources.entries()) if (firstKey === null) await cursors[index]?.begin();
  let batch: SnapshotEntry[] = [];
  for (;;) {
    const { winner, overridden, bound } = pick(cursors);
    if (winner === null) break;
    for (const cursor of overridden) await cursor.advance();
    if (overridden.length > 0) continue; // their next keys may change the bound
    do {
      // No promise for an entry inside a block.
      const now = winner.current();
      const entry = now instanceof Promise ? await now : now;
      if (entry.value !== null || keepsDeletes) batch.push(entry);
      const moved = winner.advance();
      if (moved !== undefined) await moved;
      if (batch.length >= BATCH_ENTRIES) {
        yield batch;
        batch = [];
      }
    } while (winner.key !== null && (bound === null || winner.key < bound));
  }
  if (batch.length > 0) yield batch;
}

/** A position in a run. */
class Cursor {
  /** Of the entry at the position; null at the end. */
  key: ByteKey | null;
  private readonly source: MergeSource;
  private iterator: AsyncIterator<readonly SnapshotEntry[]> | null = null;
  private entries: readonly SnapshotEntry[] = [];
  private at = 0;

  constructor(source: MergeSource) {
    this.source = source;
    this.key = source.firstKey;
  }

  /** Reads up to the first entry. */
  begin(): Promise<void> {
    return this.load();
  }

  /** The entry at the position; only before the end. */
  current(): SnapshotEntry | Promise<SnapshotEntry> {
    return this.entries[this.at] ?? this.load().then(() => this.entries[this.at] as SnapshotEntry);
  }

  /** Goes on to the next entry; a promise only where the next block has to be read. */
  advance(): Promise<void> | undefined {
    if (this.at >= this.entries.length) return this.load().then(() => (this.key === null ? undefined : this.advance()));
    this.at += 1;
    const next = this.entries[this.at];
    if (next === undefined) return this.load();
    this.key = next.key;
    return undefined;
  }

  /** Reads on to the next block that has entries, or to the end. */
  private async load(): Promise<void> {
    this.iterator ??= this.source.read();
    do {
      const next = await this.iterator.next();
      this.entries = next.done === true ? [] : next.value;
      this.at = 0;
      this.key = this.entries[0]?.key ?? null;
      if (next.done === true) return;
    } while (this.entries.length === 0); // ends with the run
  }
}

/** The latest cursor at the least key, the older ones at the same key, and the least key of all others. */
function pick(cursors: readonly Cursor[]): { winner: Cursor | null; overridden: Cursor[]; bound: ByteKey | null } {
  let winner: Cursor | null = null;
  let overridden: Cursor[] = [];
  let bound: ByteKey | null = null;
  for (const cursor of cursors) {
    if (cursor.key === null) continue;
    const least: ByteKey | null = winner?.key ?? null;
    if (winner === null || least === null || cursor.key < least) {
      bound = least;
      winner = cursor;
      overridden = [];
    } else if (cursor.key === least) {
      overridden.push(winner);
      winner = cursor;
    } else if (bound === null || cursor.key < bound) {
      bound = cursor.key;
    }
  }
  return { winner, overridden, bound };
}
