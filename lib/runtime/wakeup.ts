import type { Clock } from '../host/host.js';
import { AbortedError } from '../model/errors.js';

/** A sleep that others can cut short. A wake-up that comes while nobody sleeps is kept for the next sleep. */
/** Why a sleep ends early; a reason that is given costs no `DOMException`. */
const AWAKE = 'awake';

export class Wakeup {
  private sleeper: AbortController | null = null;
  private pending = false;

  wake(): void {
    this.pending = true;
    this.sleeper?.abort(AWAKE);
  }

  /** Sleeps for `ms` milliseconds, or until {@link wake}; at most one sleeper at a time. */
  async sleep(clock: Clock, ms: number): Promise<void> {
    if (!this.pending) {
      const sleeper = new AbortController();
      this.sleeper = sleeper;
      try {
        await clock.sleep(Math.max(0, ms), sleeper.signal);
      } catch (error) {
        if (!(error instanceof AbortedError && sleeper.signal.aborted)) throw error;
      } finally {
        this.sleeper = null;
      }
    }
    this.pending = false;
  }
}
