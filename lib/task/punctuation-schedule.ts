/**
 * The punctuations of one clock of a task. Kafka: `PunctuationQueue`, `PunctuationSchedule`.
 *
 * A punctuation is due at points of a grid. However far the clock jumps, it is called once, with the time that the clock shows,
 * and its next point is the first one after that time: missed points are skipped. Those that are due at one point are called in
 * the order of Kafka's queue, which depends on what was called before: {@link PunctuationSchedule.order} says it for a restart.
 */
import type { Awaitable } from '../model/awaitable.js';
import { ProcessingError } from '../model/errors.js';
import type { Cancellable, Punctuator } from '../processor/processor-context.js';
import { BinaryHeap } from '../state/binary-heap.js';

/** Punctuations that may be scheduled while those of one moment are called. */
const MAX_SCHEDULED_IN_A_PASS = 10_000;

interface Scheduled {
  /** How many were scheduled before it. */
  readonly number: number;
  dueMs: number;
  readonly intervalMs: number;
  readonly call: Punctuator;
  cancelled: boolean;
}

export class PunctuationSchedule {
  /** The earliest point of the grid that is not yet served; Infinity if there is none. */
  nextDueMs = Number.POSITIVE_INFINITY;
  private entries: Scheduled[] = [];
  private queue = newQueue();
  private added = 0;

  /** What is scheduled, in the order in which it was. */
  get scheduled(): readonly { readonly intervalMs: number; readonly dueMs: number }[] {
    return this.entries.map(({ intervalMs, dueMs }) => ({ intervalMs, dueMs }));
  }

  /** How what is scheduled lies in the queue: of each, how many were scheduled before it. */
  get order(): readonly number[] {
    return this.queue.all.filter(({ cancelled }) => !cancelled).map(({ number }) => number);
  }

  add(firstDueMs: number, intervalMs: number, call: Punctuator): Cancellable {
    const scheduled: Scheduled = { number: this.added, dueMs: firstDueMs, intervalMs, call, cancelled: false };
    this.added += 1;
    this.entries.push(scheduled);
    this.queue.add(scheduled);
    this.nextDueMs = Math.min(this.nextDueMs, firstDueMs);
    return {
      cancel: () => {
        scheduled.cancelled = true;
        this.settle();
      },
    };
  }

  /** Lays what is scheduled into the queue as it lay in another with the same content. @param order as {@link order} gave it */
  arrange(order: readonly number[]): void {
    const places = new Map(order.map((number, place) => [number, place]));
    const placeOf = ({ number }: Scheduled) => places.get(number) ?? this.added + number;
    this.queue = newQueue();
    for (const entry of [...this.entries].sort((a, b) => placeOf(a) - placeOf(b))) this.queue.add(entry);
  }

  /**
   * Calls what is due at `nowMs`, the longest due first, each once. What one of them schedules is called in the same pass if it is due by
   * then, as a new punctuation by stream time always is.
   *
   * @returns how many were called
   * @throws {ProcessingError} STREAMS_PROCESSING_FAILED if they schedule {@link MAX_SCHEDULED_IN_A_PASS} others: Kafka Streams goes on for ever
   */
  callDue(nowMs: number): Awaitable<number> {
    return this.nextDueMs > nowMs ? 0 : this.callEach(nowMs);
  }

  private async callEach(nowMs: number): Promise<number> {
    const { added } = this;
    let called = 0;
    try {
      for (let entry = this.queue.first; entry !== null && entry.dueMs <= nowMs; entry = this.queue.first) {
        this.queue.takeFirst();
        if (entry.cancelled) continue;
        if (this.added - added >= MAX_SCHEDULED_IN_A_PASS) throw endless(entry.intervalMs);
        const missed = Math.floor((nowMs - entry.dueMs) / entry.intervalMs);
        entry.dueMs += (missed + 1) * entry.intervalMs;
        try {
          await entry.call(nowMs);
        } finally {
          if (!entry.cancelled) this.queue.add(entry);
        }
        called += 1;
      }
    } finally {
      this.settle();
    }
    return called;
  }

  private settle(): void {
    this.entries = this.entries.filter((entry) => !entry.cancelled);
    this.nextDueMs = this.entries.reduce((least, entry) => Math.min(least, entry.dueMs), Number.POSITIVE_INFINITY);
  }
}

function newQueue(): BinaryHeap<Scheduled> {
  return new BinaryHeap((a, b) => a.dueMs < b.dueMs);
}

function endless(intervalMs: number): ProcessingError {
  return new ProcessingError(`punctuations have scheduled ${MAX_SCHEDULED_IN_A_PASS} others that are due at once`, {
    details: { intervalMs },
    remedy:
      'Do not schedule a punctuation by stream time anew in each call of it: a new one is due at once. Let one go on by its interval.',
  });
}
