/**
 * What a suppression holds back: one update for each key, in the order of time and then of key. Kafka:
 * `InMemoryTimeOrderedKeyValueChangeBuffer`.
 *
 * Invariants
 *   H1  a key keeps its place from its first update until it leaves: later ones replace what is held, not when it leaves
 *   H2  the store has exactly what is held, so that a restart finds it again; the order is made anew from it
 */
import { type Awaitable, andThen } from '../../model/awaitable.js';
import { type ByteKey, byteKey, type PackedBytes } from '../../model/byte-key.js';
import type { Headers } from '../../model/record-set.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { ByteStore } from '../../state/byte-store.js';
import {
  type HeldOrigin,
  type HeldUpdate,
  packHeldUpdate,
  readHeldUpdate,
  sizeOfHeldUpdate,
} from '../../state/held-update.js';
import { PlaceHeap } from '../../state/place-heap.js';
import type { StateStore } from '../../state/state-store.js';
import { firstOf } from '../../state/store-times.js';

/** An update as it comes in. */
export interface NewUpdate {
  readonly bufferTimeMs: number;
  readonly timestampMs: number;
  readonly origin: HeldOrigin | null;
  readonly headers: Headers;
  readonly old: PackedBytes | null;
  readonly next: PackedBytes | null;
}

export class SuppressBuffer {
  private readonly bytes: ByteStore;
  private readonly order = new PlaceHeap();
  private held = 0;

  constructor(context: ProcessorContext<never, never>, store: string) {
    this.bytes = context.getStateStore<StateStore & { readonly bytes: ByteStore }>(store).bytes;
  }

  /** Finds what was held when the task last committed; call once, before the first update. */
  init(): Awaitable<void> {
    const visit = ({ key, value }: { readonly key: ByteKey; readonly value: Uint8Array }) => {
      const update = readHeldUpdate(byteKey(value));
      this.order.add({ timeMs: update.bufferTimeMs, key });
      this.held += sizeOfHeldUpdate(key, update);
      return false;
    };
    return andThen(firstOf(this.bytes.entries({ from: null, to: null }), visit), () => undefined);
  }

  /** Number of keys that are held. */
  get size(): number {
    return this.order.size;
  }

  /** What they count for, in bytes. */
  get sizeBytes(): number {
    return this.held;
  }

  /** The least time in the buffer; Infinity if it is empty. */
  get firstMs(): number {
    return this.order.first?.timeMs ?? Number.POSITIVE_INFINITY;
  }

  put(key: ByteKey, update: NewUpdate): Awaitable<void> {
    return andThen(this.get(key), (before) => {
      const held: HeldUpdate = {
        ...update,
        bufferTimeMs: before?.bufferTimeMs ?? update.bufferTimeMs,
        prior: before === null ? update.old : before.prior,
      };
      this.bytes.put(key, packHeldUpdate(held), update.timestampMs);
      this.held += sizeOfHeldUpdate(key, held) - (before === null ? 0 : sizeOfHeldUpdate(key, before));
      if (before === null) this.order.add({ timeMs: update.bufferTimeMs, key });
    });
  }

  /** What is held of a key, or null. */
  get(key: ByteKey): Awaitable<HeldUpdate | null> {
    return andThen(this.bytes.get(key), (stored) => (stored === null ? null : readHeldUpdate(byteKey(stored.value))));
  }

  /** What leaves next, while it is still held; null if nothing is. */
  peek(): Awaitable<{ readonly key: ByteKey; readonly update: HeldUpdate } | null> {
    const { first } = this.order;
    if (first === null) return null;
    return andThen(this.get(first.key), (update) => (update === null ? null : { key: first.key, update }));
  }

  /** Lets go of what {@link peek} answered; its changelog record has the timestamp `nowMs`. */
  removeFirst(update: HeldUpdate, nowMs: number): void {
    const first = this.order.takeFirst();
    if (first === null) return;
    this.held -= sizeOfHeldUpdate(first.key, update);
    this.bytes.put(first.key, null, nowMs);
  }
}
