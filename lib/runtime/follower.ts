/**
 * Applies a changelog partition to a store: the one way in which restore, standby and query follow the log.
 *
 * Invariants
 *   F1  the store holds the fold of the committed changelog up to `position` at least: every record below it was applied, in order
 *   F2  `position` counts what carries no record (control markers, aborted records, empty batches, compacted gaps): the end is
 *       reached by position, never by a record's offset
 *   F3  nothing at or beyond a limit is applied, unless the follower is to go on to the end
 *   F4  no wait is endless: without progress for the stall time-out the follower stops with an error that names the likely cause
 *   F5  who has gone on to the end holds exactly the fold below `position`. Who stopped at a limit may lack keys that were written
 *       again beyond it: the cleaner may have taken what they had below it while the log was read
 */
import type { Clock } from '../host/host.js';
import type { FetchRequest, FetchResult, LogReader } from '../log/log.js';
import { type ByteKey, byteKeyAt } from '../model/byte-key.js';
import { RestoreStalledError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { RecordSet } from '../model/record-set.js';
import type { TopicPartition } from '../model/topic-partition.js';
import type { TransactionalStore } from '../state/byte-store.js';
import type { SourceChangelog } from '../task/source-changelog.js';

/** How long one fetch waits for the log to grow before progress is judged again. */
export const FOLLOW_WAIT_MS = 100;
/** Reads beyond the target that are made to come to an end that moves on. */
export const CHASES_MAX = 100;
/** Keys remembered as changed; beyond it the follower only knows that there are many. */
const CHANGED_KEYS_MAX = 1_000_000;

export interface FollowerInit {
  readonly log: LogReader;
  readonly clock: Clock;
  readonly store: TransactionalStore;
  /** With the id of the topic, nothing of another life of it is applied (L8 of log.ts). */
  readonly changelog: TopicPartition & { readonly topicId?: string };
  /** First offset to apply (inclusive). */
  readonly fromOffset: Offset;
  readonly fetchMaxBytes: number;
  /** Where the changelog is a source topic: what its task makes of the records. */
  readonly source?: SourceChangelog | undefined;
  /** Called after each part of the log that was applied, with the position and the number of its records. */
  readonly onApplied?: (position: Offset, records: number) => void;
  /** Whether to remember which keys were written, for a delta snapshot. */
  readonly trackChanges?: boolean;
}

export interface FollowTo {
  /** Where to stop (exclusive): nothing at or beyond it is applied, and the position ends on it. */
  readonly target: Offset;
  /** Whether to read on to the end that the last read saw (F5), beyond the target if need be. Default: no. */
  readonly toTheEnd?: boolean;
  /** Longest time without progress. */
  readonly stallTimeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Follower {
  /** First offset not applied. */
  readonly position: Offset;
  readonly recordsApplied: number;
  /** Keys that were written, deletes included, since the follower was made; null: not tracked, or too many to remember. */
  readonly changedKeys: ReadonlySet<ByteKey> | null;
  /**
   * Applies the log until `position` ≥ `target`.
   *
   * @throws {RestoreStalledError} STREAMS_RESTORE_STALLED · {OffsetOutOfRangeError} STREAMS_OFFSET_OUT_OF_RANGE: the log starts
   *   beyond the position, or was truncated below it · {TopicRecreatedError} STREAMS_TOPIC_RECREATED ·
   *   {AbortedError} STREAMS_ABORTED
   */
  followTo(to: FollowTo): Promise<void>;
  /** What to ask the log for next, for who fetches for several followers at once. */
  readonly request: FetchRequest;
  /** Before an answer to {@link request} is applied: what has to be looked up for it; undefined: nothing. Errors as `SerdeLookups`. */
  lookUp(answer: FetchResult): Promise<void> | undefined;
  /** Applies an answer to {@link request}, as far as it lies below `limit`. @returns the number of records applied */
  apply(answer: FetchResult, limit: Offset): number;
}

/** A limit beyond every offset. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER as Offset;

/** A follower of one changelog partition. The store must have no overlay. */
export function createFollower(init: FollowerInit): Follower {
  return new LogFollower(init);
}

class LogFollower implements Follower {
  position: Offset;
  recordsApplied = 0;
  private changed: Set<ByteKey> | null;
  /** Whether the last read came to the end as it was then (F5). */
  private isAtEnd = false;
  private readonly init: FollowerInit;

  constructor(init: FollowerInit) {
    this.init = init;
    this.position = init.fromOffset;
    this.changed = init.trackChanges === true ? new Set() : null;
  }

  get changedKeys(): ReadonlySet<ByteKey> | null {
    return this.changed;
  }

  async followTo(to: FollowTo): Promise<void> {
    const { clock } = this.init;
    let progressAtMs = clock.monotonic();
    const limit = to.toTheEnd === true ? NO_LIMIT : to.target;
    let seen: FetchResult | undefined;
    let chases = 0;
    while (this.position < to.target || (to.toTheEnd === true && !this.isAtEnd && chases < CHASES_MAX)) {
      const before = this.position;
      const isChasing = before >= to.target;
      if (isChasing) chases += 1;
      const result = await this.fetch(isChasing ? 0 : FOLLOW_WAIT_MS, to.signal);
      if (result !== undefined) {
        seen = result;
        const lookUps = this.lookUp(result);
        if (lookUps !== undefined) await lookUps;
        this.apply(result, limit);
      } else if (isChasing) this.isAtEnd = true; // there was nothing to answer
      const nowMs = clock.monotonic();
      if (this.position > before) progressAtMs = nowMs;
      else if (nowMs - progressAtMs >= to.stallTimeoutMs) throw this.stalled(to, seen);
    }
  }

  get request(): FetchRequest {
    return { ...this.init.changelog, fromOffset: this.position };
  }

  lookUp({ records }: FetchResult): Promise<void> | undefined {
    return this.init.source?.lookUp(records);
  }

  private async fetch(maxWaitMs: number, signal: AbortSignal | undefined): Promise<FetchResult | undefined> {
    const { log, fetchMaxBytes } = this.init;
    const [result] = await log.fetch([this.request], {
      isolation: 'readCommitted',
      maxWaitMs,
      maxBytes: fetchMaxBytes,
      ...(signal === undefined ? {} : { signal }),
    });
    return result;
  }

  apply(result: FetchResult, limit: Offset): number {
    const { records } = result;
    const count = countBelow(records, limit);
    const { store, source } = this.init;
    for (let index = 0; index < count; index += 1) {
      const keyStart = records.keyStarts[index] as number;
      if (keyStart < 0) continue; // a changelog record without key names nothing
      const timestampMs = source === undefined ? (records.timestamps[index] as number) : source.timeOf(records, index);
      if (timestampMs === null) continue;
      const key = byteKeyAt(records.bytes, keyStart, records.keyEnds[index] as number);
      store.restore({ key, value: records.value(index), timestampMs });
      this.remember(key);
    }
    this.recordsApplied += count;
    this.position = count < records.size ? limit : result.nextOffset;
    if (this.position > limit) this.position = limit; // a position beyond it would say that nothing is to come below
    this.isAtEnd = this.position >= result.lastStableOffset;
    this.init.onApplied?.(this.position, count);
    return count;
  }

  private remember(key: ByteKey): void {
    if (this.changed === null) return;
    this.changed.add(key);
    if (this.changed.size > CHANGED_KEYS_MAX) this.changed = null;
  }

  private stalled(to: FollowTo, seen: FetchResult | undefined): RestoreStalledError {
    const { topic, partition } = this.init.changelog;
    const cause =
      seen === undefined
        ? 'the log answers nothing'
        : seen.highWatermark < to.target
          ? 'the log was truncated: its end is below the target'
          : 'a transaction is open below the target';
    return new RestoreStalledError(`${topic}-${partition} got no further than ${this.position}: ${cause}`, {
      details: {
        topic,
        partition,
        position: this.position,
        targetOffset: to.target,
        highWatermark: seen?.highWatermark,
        lastStableOffset: seen?.lastStableOffset,
      },
    });
  }
}

/** Records of a set whose offset is below `limit`: all of them in nearly every case. */
function countBelow(records: RecordSet, limit: Offset): number {
  let count = records.size;
  while (count > 0 && (records.offsets[count - 1] as number) >= limit) count -= 1;
  return count;
}
