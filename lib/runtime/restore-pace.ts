/**
 * How fast a member may restore: its equal part of what the application may read in a second.
 *
 * The parts are worked out by each member from the plan, with no word between them: as many as there are members with tasks, or as may
 * restore at once if that is fewer.
 */
import { tombstoneMarginMs } from '../snapshots/usability.js';
import { TokenBucket } from './token-bucket.js';

/** One fetch is at most this part of a second's worth, so that the rate holds over short times too, */
const FETCH_PART = 0.25;
/** and at least this many bytes. */
const FETCH_LEAST_BYTES = 1_024;

/** Deletes must not expire while a restore is held back: from this part of their retention on it is not any more. */
const HURRY_PART = 0.5;

/**
 * Wall clock, in milliseconds, from which on a store is not held back any more. Infinity: never.
 *
 * @param knownAtMs as `LoadSource`
 */
export function hurryWallMs(knownAtMs: number, deleteRetentionMs: number): number {
  return knownAtMs + (deleteRetentionMs - tombstoneMarginMs(deleteRetentionMs)) * HURRY_PART;
}

export interface RestorePaceInit {
  /** Bytes a second of the whole application; above 0. */
  readonly maxBytesPerSecond: number;
  /** Tasks that restore at the same time; 0: any number. */
  readonly maxConcurrent: number;
  readonly nowMs: number;
}

export class RestorePace {
  private readonly init: RestorePaceInit;
  private readonly bucket: TokenBucket;

  constructor(init: RestorePaceInit) {
    this.init = init;
    this.bucket = new TokenBucket(init.maxBytesPerSecond, init.nowMs);
  }

  /** Bytes a second that this member may read. */
  get bytesPerSecond(): number {
    return this.bucket.rate;
  }

  /** Most bytes to ask the log for at once. */
  get fetchMaxBytes(): number {
    return Math.max(FETCH_LEAST_BYTES, Math.floor(this.bucket.rate * FETCH_PART));
  }

  /** @param members that have tasks, this one included; at least 1 */
  shareAmong(members: number): void {
    const { maxBytesPerSecond, maxConcurrent } = this.init;
    const most = maxConcurrent === 0 ? Number.POSITIVE_INFINITY : maxConcurrent;
    this.bucket.setRate(maxBytesPerSecond / Math.max(1, Math.min(members, most)));
  }

  /** Bytes were read. @returns milliseconds to wait before more is read */
  spend(bytes: number, nowMs: number): number {
    return this.bucket.take(bytes, nowMs);
  }
}
