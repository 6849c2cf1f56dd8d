/**
 * A copy of one store: a kept store (kept-stores.ts) whose changelog is followed where it lies, and what is known of that.
 *
 * Invariants
 *   C1  it holds the fold of the committed changelog below its position (F1, F2 of follower.ts), and is written only while it is kept
 *       here (K3): a task that takes it finds it where it stands
 *   C2  a source topic that serves as changelog is followed to the committed input offset, never beyond: a task that takes the copy
 *       goes on from there. Kafka Streams does the same
 *   C3  nothing is applied that may lack a delete (D2 of load-store.ts): who was kept from the log for that long is begun anew
 *   C4  a copy that its answers bring no further for the stall time-out, though they say that there is more, is begun anew
 */
import type { Clock } from '../host/host.js';
import type { FetchRequest, FetchResult } from '../log/log.js';
import { OffsetOutOfRangeError, RestoreStalledError } from '../model/errors.js';
import { lagBetween, type Offset } from '../model/offset.js';
import { refusalByPosition } from '../snapshots/usability.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { type Follower, NO_LIMIT } from './follower.js';
import type { KeptStore, KeptStores } from './kept-stores.js';
import { hurryWallMs } from './restore-pace.js';

export interface StoreCopyInit {
  /** Where it is kept, from now on or already. */
  readonly home: Pick<KeptStores, 'has'>;
  readonly kept: KeptStore;
  readonly changelog: TaskChangelog;
  /** At `kept.nextOffset`. */
  readonly follower: Follower;
  /** As when it was opened; Infinity where the cleaner drops no tombstones. */
  readonly deleteRetentionMs: number;
  readonly stallTimeoutMs: number;
  readonly clock: Clock;
  /** Where the changelog ended when the copy was begun, if that is far: until then it is being restored. Null: it only follows. */
  readonly target: Offset | null;
}

export class StoreCopy {
  readonly kept: KeptStore;
  readonly changelog: TaskChangelog;
  /** Monotonic milliseconds at which the log last said something of it. */
  answeredAtMs: number;
  private readonly init: StoreCopyInit;
  private limit: Offset;
  private stuckSinceMs: number | null = null;
  /** Whether it has still to come to where the changelog ended when it was begun: it is read back, not followed. */
  isFilling: boolean;

  constructor(init: StoreCopyInit) {
    const { kept, changelog, clock } = init;
    this.init = init;
    this.kept = kept;
    this.changelog = changelog;
    this.answeredAtMs = clock.monotonic();
    this.isFilling = init.target !== null && kept.nextOffset < init.target;
    this.limit = changelog.internal ? NO_LIMIT : (kept.endOffset ?? kept.nextOffset);
  }

  /** Whether nobody has taken it. */
  get isHere(): boolean {
    return this.init.home.has(this.kept);
  }

  /** What to ask the log for next; null while it may not go on (C2). */
  get request(): FetchRequest | null {
    const { request } = this.init.follower;
    return request.fromOffset < this.limit ? request : null;
  }

  /** Wall clock, in milliseconds, from which on its filling is not held back any more: deletes must not expire under it. */
  get hurryWallMs(): number {
    return hurryWallMs(this.kept.atEndMs, this.init.deleteRetentionMs);
  }

  /** Changelog records that it lacks, as far as is known. */
  get lag(): number {
    const { nextOffset, endOffset = nextOffset } = this.kept;
    return lagBetween(nextOffset, endOffset);
  }

  /**
   * Applies an answer to {@link request}.
   *
   * @param askedAtMs wall clock just before the log was asked
   * @returns the number of records applied
   * @throws {OffsetOutOfRangeError} STREAMS_OFFSET_OUT_OF_RANGE (C3) · {RestoreStalledError} STREAMS_RESTORE_STALLED (C4) · what
   *   lookups of serdes throw: it has to be begun anew
   */
  async take(answer: FetchResult, askedAtMs: number): Promise<number> {
    const { follower, changelog } = this.init;
    this.refuseGap(answer, askedAtMs);
    const lookUps = follower.lookUp(answer);
    if (lookUps !== undefined) await lookUps;
    if (!this.isHere) return 0; // C1
    const before = follower.position;
    const records = follower.apply(answer, this.limit);
    this.kept.nextOffset = follower.position;
    if (changelog.internal) this.sawEnd(answer.lastStableOffset, askedAtMs);
    else this.answered();
    const { target } = this.init;
    if (this.isFilling && (this.lag === 0 || target === null || follower.position >= target)) this.isFilling = false;
    this.refuseStandstill(before);
    return records;
  }

  /** The changelog ends there, as of a wall clock just before it was asked; for a source topic, its committed input offset. */
  sawEnd(endOffset: Offset, askedAtMs: number): void {
    const { changelog } = this.init;
    this.answered();
    if (!this.isHere) return;
    if (!changelog.internal) this.limit = endOffset;
    this.kept.endOffset = endOffset;
    if (this.kept.nextOffset >= endOffset) this.kept.atEndMs = askedAtMs;
  }

  private answered(): void {
    this.answeredAtMs = this.init.clock.monotonic();
  }

  /** C3. */
  private refuseGap({ logStartOffset, lastStableOffset: endOffset }: FetchResult, nowMs: number): void {
    const { kept, deleteRetentionMs } = this.init;
    const at = { nextOffset: kept.nextOffset, lastKnownEndAtMs: kept.atEndMs };
    const reason = refusalByPosition(at, { logStartOffset, endOffset, nowMs, deleteRetentionMs });
    if (reason !== 'tombstones-may-have-expired') return; // the log itself says what is out of its range
    throw new OffsetOutOfRangeError(`deletes after ${kept.nextOffset} may be gone from the log: ${reason}`, {
      details: { requestedOffset: kept.nextOffset, logStartOffset, endOffset },
    });
  }

  /** C4. */
  private refuseStandstill(before: Offset): void {
    const { clock, stallTimeoutMs, kept, changelog } = this.init;
    const nowMs = clock.monotonic();
    if (kept.nextOffset > before || this.lag === 0) this.stuckSinceMs = null;
    else if (this.stuckSinceMs === null) this.stuckSinceMs = nowMs;
    else if (nowMs - this.stuckSinceMs >= stallTimeoutMs)
      throw new RestoreStalledError(`the copy got no further than ${kept.nextOffset}`, {
        details: { ...changelog, position: kept.nextOffset, endOffset: kept.endOffset },
      });
  }
}
