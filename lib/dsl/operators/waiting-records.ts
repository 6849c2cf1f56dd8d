/**
 * Records of a stream that wait until stream time has passed them by the grace, so that rows which come late are there.
 * Kafka: `RocksDBTimeOrderedKeyValueBuffer`.
 *
 * Invariants
 *   W1  records leave in the order of time, key bytes and arrival
 *   W2  the store has exactly what waits, and its stream time is the greatest that has waited: a restart changes nothing
 *   W3  two records never have one key in the store: the sequence number goes on over restarts (Kafka Streams begins anew at 0, and
 *       may write over a record that waits)
 */
import { type Awaitable, andThen, forEachInOrder } from '../../model/awaitable.js';
import { type ByteKey, byteKey } from '../../model/byte-key.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { ByteStore, StoredEntry } from '../../state/byte-store.js';
import { type HeldUpdate, packHeldUpdate, readHeldUpdate } from '../../state/held-update.js';
import type { StateStore } from '../../state/state-store.js';
import { firstOf } from '../../state/store-times.js';
import { packWaitingKey, readWaitingKey } from '../../state/waiting-layout.js';

/** A record as it waits. */
export type Waiting = Pick<HeldUpdate, 'timestampMs' | 'origin' | 'headers' | 'next'>;

export class WaitingRecords {
  private readonly bytes: ByteStore;
  private readonly graceMs: number;
  /** Least timestamp that waits; Infinity if nothing does. */
  private firstMs = Number.POSITIVE_INFINITY;

  constructor(context: ProcessorContext<never, never>, store: string, graceMs: number) {
    this.bytes = context.getStateStore<StateStore & { readonly bytes: ByteStore }>(store).bytes;
    this.graceMs = graceMs;
  }

  /** Finds what waited when the task last committed; call once, before the first record. */
  init(): Awaitable<void> {
    return andThen(
      firstOf(this.bytes.entries({ from: null, to: null }), () => true),
      (first) => {
        if (first !== null) this.firstMs = readWaitingKey(first.key).timestampMs;
      },
    );
  }

  /** @returns false if the record came too late to wait: it is to be joined at once */
  put(key: ByteKey, { timestampMs, ...record }: Waiting): boolean {
    if (timestampMs < this.dueMs) return false;
    const at = packWaitingKey({ timestampMs, key, sequence: this.bytes.nextSequence() });
    const value = packHeldUpdate({ ...record, timestampMs, prior: null, old: null, bufferTimeMs: 0 });
    this.bytes.put(at, value, timestampMs);
    this.firstMs = Math.min(this.firstMs, timestampMs);
    return true;
  }

  /** Takes out what has waited long enough; each waits for the one before only if that one returned a promise. */
  takeDue(nowMs: number, visit: (key: ByteKey, record: Waiting) => Awaitable<void>): Awaitable<void> {
    if (this.firstMs > this.dueMs) return;
    return andThen(this.due(), (entries) =>
      forEachInOrder(entries, ({ key, value }) => {
        this.bytes.put(key, null, nowMs);
        return visit(readWaitingKey(key).key, readHeldUpdate(byteKey(value)));
      }),
    );
  }

  /** Timestamps up to this (inclusive) have waited long enough. */
  private get dueMs(): number {
    return this.bytes.progress.streamTimeMs - this.graceMs;
  }

  /** What is due; notes when the next one is. Bounded by what waits. */
  private due(): Awaitable<readonly StoredEntry[]> {
    const { dueMs } = this;
    const due: StoredEntry[] = [];
    const next = firstOf(this.bytes.entries({ from: null, to: null }), (entry) => {
      if (readWaitingKey(entry.key).timestampMs > dueMs) return true;
      due.push(entry);
      return false;
    });
    return andThen(next, (entry) => {
      this.firstMs = entry === null ? Number.POSITIVE_INFINITY : readWaitingKey(entry.key).timestampMs;
      return due;
    });
  }
}
