import type { Clock } from '../../host/host.js';
import type { Sleep } from '../../processor/engine-context.js';

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/**
 * How operators wait in a test driver. A time-out is over when the driver's wall clock has been moved past it, or when it has passed in
 * truth: so a test need not wait for it, and a call that never settles does not hold the driver up for ever. Pauses are over at once.
 */
export class DriverSleep {
  private readonly now: () => number;
  private readonly real: Pick<Clock, 'sleep'>;
  private readonly sleepers = new Set<Sleeper>();
  private watchers: (() => void)[] = [];

  constructor(now: () => number, real: Pick<Clock, 'sleep'>) {
    this.now = now;
    this.real = real;
  }

  /** Resolves as soon as somebody waits. */
  untilWaiting(): Promise<void> {
    if (this.sleepers.size > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.watchers.push(resolve);
    });
  }

  /** Ends what is over now that the clock has been moved. */
  wakeDue(): void {
    this.watchers = []; // who looked has seen enough: the clock is moved
    for (const sleeper of this.sleepers) if (sleeper.dueMs <= this.now()) sleeper.wake();
  }

  readonly sleep: Sleep = async (ms, signal, purpose) => {
    if (purpose === 'pause') return;
    const over = new AbortController();
    const dueMs = this.now() + ms;
    let wake: () => void = () => undefined;
    const moved = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const sleeper = { dueMs, wake };
    this.sleepers.add(sleeper);
    for (const seen of this.watchers.splice(0)) seen();
    try {
      const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
      await Promise.race([moved, this.real.sleep(ms, either)]);
    } finally {
      this.sleepers.delete(sleeper);
      over.abort();
    }
  };
}
