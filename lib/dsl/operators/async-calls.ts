/**
 * Calls of a function that waits, a bounded number at once: those of one key one after the other, those of different keys side by side.
 *
 * It calls, and collects what was answered; whoever takes the answers does so when a task lets it.
 *
 * Invariants
 *   A1  at most `concurrency` calls run; of one key at most one
 *   A2  answers of one key are in the order in which their calls were asked for
 *   A3  a call never rejects unseen: what it throws is its answer
 */
import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';

/** A call that was asked for, and how it came out once it has. */
export interface AsyncCallOf<T, R> {
  readonly of: T;
  readonly key: ByteKey | null;
  answer: { readonly value: R } | { readonly thrown: unknown } | null;
}

export class AsyncCalls<T, R> {
  private readonly concurrency: number;
  private readonly call: (of: T) => Awaitable<R>;
  /** Of each key that has a call running or waiting for its turn: those behind it. */
  private readonly behind = new Map<ByteKey, AsyncCallOf<T, R>[]>();
  /** Calls that only wait for a free place. */
  private readonly ready: AsyncCallOf<T, R>[] = [];
  private readonly answered: AsyncCallOf<T, R>[] = [];
  private running = 0;
  private pendingCount = 0;
  private waiting: { readonly promise: Promise<void>; readonly wake: () => void } | null = null;

  constructor(concurrency: number, call: (of: T) => Awaitable<R>) {
    this.concurrency = concurrency;
    this.call = call;
  }

  /** Calls whose answers were not taken yet, or that have none yet. */
  get pending(): number {
    return this.pendingCount;
  }

  ask(of: T, key: ByteKey | null): void {
    const call: AsyncCallOf<T, R> = { of, key, answer: null };
    this.pendingCount += 1;
    const behind = key === null ? undefined : this.behind.get(key);
    if (behind !== undefined) {
      behind.push(call);
      return;
    }
    if (key !== null) this.behind.set(key, []);
    this.ready.push(call);
    this.fill();
  }

  /** The next answer in the order in which they came; null: there is none yet. */
  take(): AsyncCallOf<T, R> | null {
    const next = this.answered.shift();
    if (next === undefined) return null;
    this.pendingCount -= 1;
    return next;
  }

  /** Resolves when there is an answer to take. */
  async answer(): Promise<void> {
    if (this.answered.length > 0) return;
    if (this.waiting === null) {
      let wake: () => void = () => {};
      const promise = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.waiting = { promise, wake };
    }
    await this.waiting.promise;
  }

  private fill(): void {
    while (this.running < this.concurrency) {
      const next = this.ready.shift();
      if (next === undefined) return;
      this.running += 1;
      this.begin(next);
    }
  }

  private begin(call: AsyncCallOf<T, R>): void {
    let result: Awaitable<R>;
    try {
      result = this.call(call.of);
    } catch (thrown) {
      this.end(call, { thrown });
      return;
    }
    if (!isPromise(result)) {
      this.end(call, { value: result });
      return;
    }
    result.then(
      (value) => this.ended(call, { value }),
      (thrown: unknown) => this.ended(call, { thrown }),
    );
  }

  private ended(call: AsyncCallOf<T, R>, answer: { readonly value: R } | { readonly thrown: unknown }): void {
    this.end(call, answer);
    this.fill();
  }

  private end(call: AsyncCallOf<T, R>, answer: { readonly value: R } | { readonly thrown: unknown }): void {
    call.answer = answer;
    this.running -= 1;
    this.answered.push(call);
    if (call.key !== null) {
      const behind = this.behind.get(call.key);
      const next = behind?.shift();
      if (next === undefined) this.behind.delete(call.key);
      else this.ready.push(next);
    }
    this.waiting?.wake();
    this.waiting = null;
  }
}
