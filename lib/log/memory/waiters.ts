/** Who waits for news: a fetch for records, a reader of committed offsets for the end of a transaction. */

import type { Clock } from '../../host/host.js';
import { AbortedError } from '../../model/errors.js';

/** Why a timer is cancelled; a reason that is given costs no `DOMException`, and fetches are many. */
const NEWS = 'news';

/** Calls to make when there is news; each waiting call registers with all that it waits for. */
export class Waiters {
  private readonly wakes = new Set<() => void>();

  add(wake: () => void): void {
    this.wakes.add(wake);
  }

  remove(wake: () => void): void {
    this.wakes.delete(wake);
  }

  wakeAll(): void {
    for (const wake of [...this.wakes]) wake();
  }

  get size(): number {
    return this.wakes.size;
  }
}

/** Refuses to go on for a caller that has given up. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AbortedError('the caller gave up', { cause: signal.reason });
}

/**
 * Waits until one of `sources` has news or `ms` milliseconds have passed, whichever is first.
 *
 * @throws {AbortedError} STREAMS_ABORTED as soon as the signal fires
 */
export async function waitForNews(
  sources: readonly Waiters[],
  ms: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  throwIfAborted(signal);
  const timer = new AbortController();
  const wake = () => timer.abort(NEWS);
  for (const source of sources) source.add(wake);
  signal?.addEventListener('abort', wake, { once: true });
  try {
    await clock.sleep(ms, timer.signal);
  } catch (thrown) {
    if (!timer.signal.aborted) throw thrown;
  } finally {
    for (const source of sources) source.remove(wake);
    signal?.removeEventListener('abort', wake);
  }
  throwIfAborted(signal);
}
