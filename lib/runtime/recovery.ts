/**
 * What a task does about an error: the one table of it. Pure.
 *
 * | error | the task |
 * | --- | --- |
 * | lease gone | ends as migrated, commits nothing, leaves the lease alone |
 * | producer fenced, lease still ours | takes a new lease epoch, then initialises again |
 * | unknown outcome, a service away | looks at the lease, initialises again, replays from the confirmed position |
 * | state and changelog disagree | the same, and restores the state from scratch |
 * | code or settings wrong | hands the task back and says why |
 * | records too large for their topic, not known before | the same, and gives them to the production handler |
 * | any of these, and no commit for `taskTimeoutMs` or eight attempts | hands the task back |
 * | our bug | hands the task back; the member ends with the evidence |
 */
import type { StreamsError } from '../model/errors.js';

export type Recovery = 'migrated' | 'new-epoch' | 'again' | 'again-from-scratch' | 'fail';

/** Attempts in a row without a commit before a task is handed back. */
export const RECOVERY_ATTEMPTS_MAX = 8;
/** Attempts in a row without a commit where each has learned of records that their topic does not take. */
const LEARNING_ATTEMPTS_MAX = 1_000;
const BACKOFF_FIRST_MS = 20;
const BACKOFF_MOST_MS = 2_000;

/** How long it has gone on: milliseconds since the first error after the last commit, and how long is long enough. */
export interface Patience {
  readonly elapsedMs: number;
  readonly taskTimeoutMs: number;
  /** Whether the last attempt was told of records that their topic does not take: the next one leaves them out. */
  readonly hasLearned?: boolean;
}

/** @param attempts recoveries since the last successful commit, this one included */
export function recoveryFrom(error: StreamsError, attempts: number, patience?: Patience): Recovery {
  if (error.code === 'STREAMS_TASK_MIGRATED') return 'migrated';
  if (error.code === 'STREAMS_RECORD_TOO_LARGE' && patience?.hasLearned === true)
    return attempts > LEARNING_ATTEMPTS_MAX ? 'fail' : 'again';
  if (error.kind === 'invalid' || error.kind === 'internal') return 'fail';
  if (attempts > RECOVERY_ATTEMPTS_MAX || isOver(patience)) return 'fail';
  if (error.code === 'STREAMS_PRODUCER_FENCED') return 'new-epoch';
  return error.kind === 'corrupted' ? 'again-from-scratch' : 'again';
}

/** Kafka: `task.timeout.ms`. A first error is always tried again. */
function isOver(patience: Patience | undefined): boolean {
  return patience !== undefined && patience.elapsedMs > 0 && patience.elapsedMs >= patience.taskTimeoutMs;
}

/** How long to wait before attempt `attempts` (from 1): doubling, with up to half of it added by chance (`random` in [0, 1)). */
export function backoffMs(attempts: number, random: number): number {
  const base = Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** (attempts - 1));
  return base * (1 + random / 2);
}
