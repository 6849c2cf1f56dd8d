/**
 * The records of a left or outer join that have met nothing, until their window has closed. Kafka: the shared outer store of
 * `KStreamKStreamJoin`, with its `TimeTracker`.
 *
 * Invariants
 *   N1  both streams of a join have one time, the greatest timestamp of either, and one such store
 *   N2  a record leaves when it is joined, or when it is given out as closed: never both
 *   N3  time and mark are committed with the offsets: a join that starts again goes on as if it had not stopped
 */
import { type Awaitable, andThen } from '../../model/awaitable.js';
import { type ByteKey, byteKey, type PackedBytes } from '../../model/byte-key.js';
import type { CommittedMark, CommittedTime, EngineContext } from '../../processor/engine-context.js';
import type { ByteStore, KeyRange, StoredEntry } from '../../state/byte-store.js';
import {
  type JoinSide,
  type NonJoinedKey,
  nonJoinedValues,
  packNonJoinedKey,
  readNonJoinedKey,
  withNonJoinedValue,
} from '../../state/non-joined-layout.js';
import type { StateStore } from '../../state/state-store.js';
import { firstOf } from '../../state/store-times.js';
import type { JoinWindows } from '../joins/join-windows.js';

/** Records of one stream with one key and timestamp, whose window has closed: values in the order in which they came. */
export interface ClosedRecords extends NonJoinedKey<ByteKey> {
  readonly values: readonly PackedBytes[];
}

const EVERYTHING: KeyRange = { from: null, to: null };
/** The mark of a store that has nothing to give out. */
const NOTHING_WAITS = Number.MAX_SAFE_INTEGER;

export class NonJoinedRecords {
  private readonly windows: JoinWindows;
  /** Whether records of both streams wait: those of the left one do. */
  private readonly bothWait: boolean;
  private readonly bytes: ByteStore;
  private readonly time: CommittedTime;
  /** Timestamp before which nothing waits, as far as the last look told: a look costs a walk through the store. */
  private readonly mark: CommittedMark;

  constructor(
    context: EngineContext<never, never>,
    { store, windows, bothWait }: { readonly store: string; readonly windows: JoinWindows; readonly bothWait: boolean },
  ) {
    this.windows = windows;
    this.bothWait = bothWait;
    this.bytes = context.getStateStore<StateStore & { readonly bytes: ByteStore }>(store).bytes;
    this.time = context.committedTime(`millrace.join.${store}`);
    this.mark = context.committedMark(`millrace.waits.${store}`);
  }

  /** Greatest timestamp of both streams so far. */
  get streamTimeMs(): number {
    return this.time.ms;
  }

  advance(timestampMs: number): void {
    this.time.raise(timestampMs);
  }

  /** Keeps a record that has met nothing; `timestampMs` is also that of its changelog record. */
  add(side: JoinSide, key: ByteKey, value: PackedBytes, timestampMs: number): Awaitable<void> {
    if (timestampMs < (this.mark.value ?? NOTHING_WAITS)) this.mark.set(timestampMs);
    const at = packNonJoinedKey(timestampMs, side, key);
    return andThen(this.bytes.get(at), (stored) => {
      const before = stored === null ? null : byteKey(stored.value);
      this.bytes.put(at, withNonJoinedValue(before, side, value), timestampMs);
    });
  }

  /** Takes out the records of one key and time, if there are any, because they were joined; or gives them up as given out. */
  remove({ side, key, timestampMs }: NonJoinedKey<ByteKey>, nowMs: number): Awaitable<void> {
    const at = packNonJoinedKey(timestampMs, side, key);
    return andThen(this.bytes.get(at), (stored) => {
      if (stored !== null) this.bytes.put(at, null, nowMs);
    });
  }

  /**
   * What has closed by now, in the order of timestamp, stream (the right one first) and key.
   *
   * When it looks is Kafka Streams' choice, and part of its answer: only when the record that the last look came to last is closed
   * too, by the window of the stream that asks. Unlike Kafka Streams 4.1 in an application (as opposed to its test driver) we do not
   * wait for a second of wall-clock time between two looks: what is given out, and when, depends on records alone.
   *
   * @param asking the stream of the record being processed
   */
  closed(asking: JoinSide): Awaitable<readonly ClosedRecords[]> {
    const mark = this.mark.value ?? NOTHING_WAITS;
    if (mark !== NOTHING_WAITS && this.isOpen(mark, asking)) return [];
    if (this.bytes.size === 0) {
      if (mark !== NOTHING_WAITS) this.mark.set(NOTHING_WAITS);
      return [];
    }
    return this.look();
  }

  /**
   * Walks from the oldest record on until it has met one that is open of each stream, and to the value after it. Where only the left
   * stream's wait there is no such end: what the walk would come to is told by the last record, without walking there.
   */
  private look(): Awaitable<readonly ClosedRecords[]> {
    const closed: ClosedRecords[] = [];
    const open = new Set<JoinSide>();
    let last = NOTHING_WAITS;
    const isLast = (entry: StoredEntry) => {
      const key = readNonJoinedKey(entry.key);
      last = key.timestampMs;
      if (open.size === 2) return true; // both streams' records are open from here on
      const values = nonJoinedValues(byteKey(entry.value));
      if (this.isOpen(key.timestampMs, key.side)) open.add(key.side);
      else closed.push({ ...key, values });
      // Kafka Streams goes value by value: the one after may be the next of this very record.
      if (open.size === 2 && values.length > 1) return true;
      return open.size > 0 && !this.bothWait;
    };
    return andThen(firstOf(this.bytes.entries(EVERYTHING), isLast), () => {
      if (open.size === 0 || this.bothWait) return this.looked(last, closed);
      return andThen(
        firstOf(this.bytes.entries({ ...EVERYTHING, reverse: true }), () => true),
        (entry) => this.looked(entry === null ? last : readNonJoinedKey(entry.key).timestampMs, closed),
      );
    });
  }

  private looked(lastMs: number, closed: readonly ClosedRecords[]): readonly ClosedRecords[] {
    this.mark.set(lastMs);
    return closed;
  }

  /** Whether a record of the other stream could still come that a record of this time and stream would meet. */
  private isOpen(timestampMs: number, side: JoinSide): boolean {
    const { beforeMs, afterMs, graceMs } = this.windows;
    return timestampMs + (side === 'left' ? afterMs : beforeMs) + graceMs >= this.streamTimeMs;
  }
}
