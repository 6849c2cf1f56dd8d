/**
 * Repeats what may succeed the next time: the one place that decides how often, how soon and for how long.
 *
 * Bounds: `retryTimeoutMs` from the first failure on, a second between two attempts, and for topics that nobody knows the time that
 * the news of a new topic takes to reach all brokers.
 */
import type { Clock, Random } from '../../host/host.js';
import { AbortedError, UnavailableError } from '../../model/errors.js';
import {
  BrokerError,
  ConnectionFailure,
  type Failure,
  type FailureDetails,
  isFailure,
  mayHaveHappened,
} from './failures.js';
import { asLogError, throwIfAborted } from './log-errors.js';
import type { Pauses } from './net/pauses.js';

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1_000;
/** A broker that ends the transaction before needs milliseconds: Kafka's own client waits 20. */
const FIRST_SHORT_PAUSE_MS = 2;
const MAX_SHORT_PAUSE_MS = 20;
/** How long an unknown topic may be one that was created a moment ago. */
export const UNKNOWN_TOPIC_GRACE_MS = 400;

export interface RetrierOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly pauses: Pauses;
  readonly retryTimeoutMs: number;
}

/** What is known of the attempts before this one. */
export interface History {
  readonly failures: number;
  /** Whether one of them may have taken effect though it failed. */
  readonly mayHaveHappened: boolean;
}

export interface Task<T> {
  /** For messages: `list offsets`. */
  readonly what: string;
  readonly details?: FailureDetails;
  readonly signal?: AbortSignal | undefined;
  attempt(history: History): Promise<T>;
  /** Forgets what the failure proved to be old: leaders, coordinators. */
  forget?(failure: Failure): void;
}

export class Retrier {
  private readonly options: RetrierOptions;

  constructor(options: RetrierOptions) {
    this.options = options;
  }

  /**
   * Attempts until one succeeds, fails for good, or time is up.
   *
   * @throws {StreamsError} the last failure's, by `asLogError`; {AbortedError} STREAMS_ABORTED
   */
  async run<T>(task: Task<T>): Promise<T> {
    const { clock, retryTimeoutMs } = this.options;
    let failingSinceMs: number | undefined;
    let history: History = { failures: 0, mayHaveHappened: false };
    for (;;) {
      this.throwIfOver(task);
      try {
        return await task.attempt(history);
      } catch (thrown) {
        if (!isFailure(thrown)) throw asLogError(thrown, task.details);
        history = {
          failures: history.failures + 1,
          mayHaveHappened: history.mayHaveHappened || mayHaveHappened(thrown),
        };
        task.forget?.(thrown);
        failingSinceMs ??= clock.monotonic();
        const elapsedMs = clock.monotonic() - failingSinceMs;
        if (!mayRetry(thrown, elapsedMs)) throw asLogError(thrown, task.details);
        const pauseMs = this.pauseMs(thrown, history.failures);
        if (elapsedMs + pauseMs > retryTimeoutMs) throw this.timeUp(task, thrown, history.failures);
        await this.options.pauses.pause(pauseMs, task.signal);
      }
    }
  }

  private throwIfOver({ what, signal }: Task<unknown>): void {
    throwIfAborted(signal);
    if (this.options.pauses.isClosed) throw new AbortedError(`${what}: the log is closed`);
  }

  private pauseMs(failure: Failure, attempts: number): number {
    const isShort = failure instanceof BrokerError && failure.action === 'soon';
    const first = isShort ? FIRST_SHORT_PAUSE_MS : FIRST_PAUSE_MS;
    const most = isShort ? MAX_SHORT_PAUSE_MS : MAX_PAUSE_MS;
    const pause = Math.min(first * (isShort ? attempts : 2 ** Math.min(attempts - 1, 10)), most);
    // Half of it is chance, so that clients that were cut off together do not come back together.
    return pause * (0.75 + this.options.random.next() / 2);
  }

  private timeUp({ what, details }: Task<unknown>, failure: Failure, attempts: number): UnavailableError {
    return new UnavailableError(`${what}: still failing after ${attempts} attempts: ${failure.message}`, {
      cause: failure,
      details: { ...details, attempts, ...(failure instanceof BrokerError ? failure.details : {}) },
    });
  }
}

function mayRetry(failure: Failure, elapsedMs: number): boolean {
  if (failure instanceof ConnectionFailure) return !failure.isRefusal;
  switch (failure.action) {
    case 'leader':
    case 'coordinator':
    case 'retry':
    case 'soon':
      return true;
    case 'unknown-topic':
    case 'other-topic':
      return elapsedMs < UNKNOWN_TOPIC_GRACE_MS;
    default:
      return false;
  }
}
