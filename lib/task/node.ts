import { type Awaitable, isPromise } from '../model/awaitable.js';
import type { StreamRecord } from '../processor/stream-record.js';
import { forBranch } from './branch-headers.js';

/** A node of a running task, as its parents see it. */
export interface Receiver {
  readonly name: string;
  /** Takes a record; what it causes downstream is done on return, or when the promise resolves. */
  process(record: StreamRecord<unknown, unknown>): Awaitable<void>;
}

/**
 * Hands a record to each receiver in order; one waits for the one before only if that one returned a promise. Where there are several
 * each gets the headers for itself (branch-headers.ts).
 */
export function deliverToAll(
  receivers: readonly Receiver[],
  record: StreamRecord<unknown, unknown>,
  from = 0,
): Awaitable<void> {
  const isBranch = receivers.length > 1;
  for (let index = from; index < receivers.length; index += 1) {
    const result = receivers[index]?.process(isBranch ? forBranch(record) : record);
    if (isPromise(result)) return result.then(() => deliverToAll(receivers, record, index + 1));
  }
}
