import { AbortedError } from '../../model/errors.js';
import type { Clock } from '../host.js';

/** The longest time that a timer of Node takes; it fires at once for a longer one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The operating system's clocks. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    async sleep(ms, signal) {
      let left = ms;
      do {
        await sleepOnce(Math.min(left, LONGEST_TIMER_MS), signal);
        left -= LONGEST_TIMER_MS;
      } while (left > 0);
    },
  };
}

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(aborted(signal));
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      if (signal !== undefined) reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function aborted(signal: AbortSignal): AbortedError {
  return new AbortedError('the wait was given up', { cause: signal.reason });
}
