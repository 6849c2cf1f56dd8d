import type { Clock } from '../host/host.js';

/** Longest time that a task computes before it lets the process do something else. */
const BREATH_INTERVAL_MS = 15;
/** Most turns between two breaths, for clocks that stand still while code runs. */
const BREATH_INTERVAL_TURNS = 64;

/**
 * Gives the rest of the process (heartbeats, other tasks, timers) its turn: a task that always finds work would otherwise never
 * leave the queue of microtasks.
 */
export class Breather {
  private readonly clock: Clock;
  private lastMs: number;
  private turns = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.lastMs = clock.monotonic();
  }

  /** Called once a turn; sleeps for no time when it is due. */
  async turn(): Promise<void> {
    this.turns += 1;
    if (this.turns < BREATH_INTERVAL_TURNS && this.clock.monotonic() - this.lastMs < BREATH_INTERVAL_MS) return;
    await this.clock.sleep(0);
    this.lastMs = this.clock.monotonic();
    this.turns = 0;
  }
}
