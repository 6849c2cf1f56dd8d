/**
 * The punctuations of one clock of a task. Kafka: `PunctuationQueue`, `PunctuationSchedule`.
 *
 * A punctuation is due at points of a grid. However far the clock jumps, it is called once, with the time that the clock shows,
 * and its next point is the first one after that time: missed points are skipped.
 */
import type { Awaitable } from '../model/awaitable.js';
import type { Cancellable, Punctuator } from '../processor/processor-context.js';

interface Scheduled {
  dueMs: number;
  readonly intervalMs: number;
  readonly call: Punctuator;
  cancelled: boolean;
}

export class PunctuationSchedule {
  /** The earliest point of the grid that is not yet served; Infinity if there is none. */
  nextDueMs = Number.POSITIVE_INFINITY;
  private entries: Scheduled[] = [];

  /** What is scheduled, in the order in which it was. */
  get scheduled(): readonly { readonly intervalMs: number; readonly dueMs: number }[] {
    return this.entries.filter(({ cancelled }) => !cancelled).map(({ intervalMs, dueMs }) => ({ intervalMs, dueMs }));
  }

  add(firstDueMs: number, intervalMs: number, call: Punctuator): Cancellable {
    const scheduled: Scheduled = { dueMs: firstDueMs, intervalMs, call, cancelled: false };
    this.entries.push(scheduled);
    this.nextDueMs = Math.min(this.nextDueMs, firstDueMs);
    return {
      cancel: () => {
        scheduled.cancelled = true;
        this.settle();
      },
    };
  }

  /**
   * Calls what is due at `nowMs`, the longest due first, each once. What is scheduled meanwhile waits for the next call.
   *
   * @returns how many were called
   */
  callDue(nowMs: number): Awaitable<number> {
    return this.nextDueMs > nowMs ? 0 : this.callEach(nowMs);
  }

  private async callEach(nowMs: number): Promise<number> {
    const due = this.entries.filter((entry) => entry.dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
    let called = 0;
    for (const entry of due) {
      if (entry.cancelled) continue;
      const missed = Math.floor((nowMs - entry.dueMs) / entry.intervalMs);
      entry.dueMs += (missed + 1) * entry.intervalMs;
      await entry.call(nowMs);
      called += 1;
    }
    this.settle();
    return called;
  }

  private settle(): void {
    this.entries = this.entries.filter((entry) => !entry.cancelled);
    this.nextDueMs = this.entries.reduce((least, entry) => Math.min(least, entry.dueMs), Number.POSITIVE_INFINITY);
  }
}
