/** What user code may return: a plain value, for which nobody waits, or a promise of one. */
export type Awaitable<T> = T | Promise<T>;

/** Whether a value has to be awaited. The synchronous path asks this once a call instead of paying for an `await`. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** `next(value)`, at once if the value is plain. */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Calls `visit` for each item in order; the next item waits for the one before only if that one returned a promise. */
export function forEachInOrder<T>(items: Iterable<T>, visit: (item: T) => Awaitable<void>): Awaitable<void> {
  const iterator = items[Symbol.iterator]();
  for (let step = iterator.next(); !step.done; step = iterator.next()) {
    const result = visit(step.value);
    if (isPromise(result)) return continueInOrder(result, iterator, visit);
  }
}

async function continueInOrder<T>(
  first: Promise<void>,
  rest: Iterator<T>,
  visit: (item: T) => Awaitable<void>,
): Promise<void> {
  await first;
  for (let step = rest.next(); !step.done; step = rest.next()) await visit(step.value);
}
