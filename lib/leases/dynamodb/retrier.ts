/** Bounded repetition with growing, random pauses. */
import type { Host } from '../../host/host.js';
import { type Failure, failureOf } from './failures.js';

/** Requests made for one call at most. */
export const MAX_ATTEMPTS = 8;
/** Longest first pause; each further one may be twice as long. */
export const FIRST_PAUSE_MS = 25;
export const LONGEST_PAUSE_MS = 1_000;
/** No attempt starts later than this after the call did. */
export const RETRY_BUDGET_MS = 10_000;

/**
 * Sends until there is an answer. A request must bear to be sent again after an unknown outcome (table.ts sees to it).
 *
 * @throws {UnavailableError} STREAMS_UNAVAILABLE after the last attempt; its details hold the `outcome`: `unknown` or `not written`
 */
export async function withRetries<T>(
  host: Pick<Host, 'clock' | 'random' | 'metrics'>,
  details: Readonly<Record<string, unknown>>,
  send: () => Promise<T>,
): Promise<T> {
  const { clock, random, metrics } = host;
  const startedMs = clock.monotonic();
  let mayBeWritten = false;
  for (let attempt = 1; ; attempt += 1) {
    let failure: Failure;
    try {
      return await send();
    } catch (thrown) {
      failure = failureOf(thrown, { ...details, attempt, outcome: mayBeWritten ? 'unknown' : 'not written' });
    }
    mayBeWritten ||= failure.kind === 'unknown';
    const isLast = attempt === MAX_ATTEMPTS || clock.monotonic() - startedMs >= RETRY_BUDGET_MS;
    if (failure.kind === 'final' || isLast) throw failure.error;
    metrics.count('lease-requests-repeated', 1, { because: failure.kind });
    // The whole pause is random: members that were throttled together must not come back together.
    await clock.sleep(random.next() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
  }
}
