/** When a snapshot may be restored from, given what is known of the log. Pure; docs/design.md §7, the first three of its traps. */
import type { Offset } from '../model/offset.js';

/** Why a snapshot was not used. */
export type RefusalReason =
  /** All there is belongs to an earlier life of the changelog topic. */
  | 'topic-recreated'
  /** The cleaner may have dropped a delete that the tail would have to bring. */
  | 'tombstones-may-have-expired'
  /** The log no longer has the records right after it. */
  | 'below-log-start'
  /** The log ends before it: the log lost records that the snapshot has. */
  | 'beyond-the-end'
  /** The caller wants nothing newer (a source topic used as changelog: the committed input offset). */
  | 'beyond-the-limit'
  /** It was built by other user code. */
  | 'other-fingerprint'
  | 'corrupt-manifest'
  | 'corrupt-segment'
  /** The caller has found it corrupt already. */
  | 'given-up';

/** What the caller knows of the changelog, and when. */
export interface LogBounds {
  readonly logStartOffset: Offset;
  /** The end that the restore aims for (exclusive). */
  readonly endOffset: Offset;
  readonly nowMs: number;
  /** `delete.retention.ms` of the changelog; Infinity for one that is not compacted. */
  readonly deleteRetentionMs: number;
  /** The newest `nextOffset` allowed (inclusive). */
  readonly notBeyondOffset?: Offset;
}

/** The margin is at most this, */
const MAX_MARGIN_MS = 300_000;
/** and at most this part of the retention. */
const MARGIN_PART = 0.1;

/**
 * Taken off `delete.retention.ms`: the clocks of brokers and of ours differ, and the tail still has to be read after the
 * snapshot was found usable.
 */
export function tombstoneMarginMs(deleteRetentionMs: number): number {
  return Math.min(MAX_MARGIN_MS, deleteRetentionMs * MARGIN_PART);
}

/** Whether a snapshot at this position may be used: null if so, else the reason. */
export function refusalByPosition(
  { nextOffset, lastKnownEndAtMs }: { readonly nextOffset: Offset; readonly lastKnownEndAtMs: number },
  { logStartOffset, endOffset, nowMs, deleteRetentionMs, notBeyondOffset }: LogBounds,
): RefusalReason | null {
  if (nextOffset > endOffset) return 'beyond-the-end';
  if (notBeyondOffset !== undefined && nextOffset > notBeyondOffset) return 'beyond-the-limit';
  if (nextOffset < logStartOffset) return 'below-log-start';
  if (nextOffset === endOffset) return null; // no tail, so there is no delete to miss
  const usableUntilMs = lastKnownEndAtMs + deleteRetentionMs - tombstoneMarginMs(deleteRetentionMs);
  return nowMs < usableUntilMs ? null : 'tombstones-may-have-expired';
}
