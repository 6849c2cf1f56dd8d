/**
 * What stands between a table's operator and its children: hands updates on at once, or holds them back so that only the last of
 * a key goes downstream. Kafka: `TimestampedTupleForwarder`, `CachingKeyValueStore`.
 *
 * Invariants
 *   F1  per key the children see the oldest old value and the newest new value of what was held back
 *   F2  keys go downstream in the order of their last updates
 *   F3  a row that was neither there before nor is there now is not mentioned
 *   F4  a held update goes downstream as from the record that brought it last: with its timestamp, headers and origin
 *   F5  where updates are held back the old value is what the store had: nothing for a new row, whatever an aggregation begins with
 */
import { type Awaitable, forEachInOrder } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { RecordMetadata } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import { ABSENT, type Change } from '../change.js';
import type { RowPut } from './row-store.js';

/** Estimated bytes of one held update besides its key and value. */
const HELD_OVERHEAD_BYTES = 128;

/** One update of a row. */
export interface RowUpdate<K, V> {
  readonly key: ByteKey;
  readonly keyCell: Cell<K>;
  readonly newCell: Cell<V | null>;
  /**
   * Of the row before, or what a row that was not there is said to have been where updates go on at once; only looked at if old values
   * are asked for.
   */
  readonly oldCell: Cell<V | null>;
  /** Whether there was a row before. */
  readonly existed: boolean;
  readonly timestampMs: number;
  readonly headers: StreamRecord<K, V>['headers'];
  /** What became of the row in its store; absent: it is the newest, as in a store without history. */
  readonly put?: RowPut;
  /** Encoded size of the new value. */
  readonly sizeBytes: number;
}

/** An update that is held back. */
interface HeldRow<K, V> extends RowUpdate<K, V> {
  /** Where the record came from that brought it; null: from none, as in a punctuation. */
  readonly origin: RecordMetadata | null;
}

export interface ForwarderOptions {
  readonly sendOldValues: boolean;
  /** Whether updates are held back: here, or by an operator downstream that several share, to which they go as they are. */
  readonly cached: boolean | 'downstream';
}

export class ChangeForwarder<K, V> {
  private readonly context: EngineContext<K, Change<V>>;
  private readonly sendOldValues: boolean;
  /**
   * Whether updates are held back, here or downstream, so that the row that was stored has to be known. What Kafka Streams' caches tell
   * of an update is not what its operators tell that go without.
   */
  readonly holdsBack: boolean;
  /** How much is held back here. */
  private readonly maxBytes: number;
  private readonly held = new Map<ByteKey, HeldRow<K, V>>();
  private heldBytes = 0;

  constructor(context: EngineContext<K, Change<V>>, options: ForwarderOptions) {
    this.context = context;
    this.sendOldValues = options.sendOldValues;
    this.holdsBack = options.cached !== false && context.cacheMaxBytes > 0;
    this.maxBytes = options.cached === true ? context.cacheMaxBytes : 0;
    if (this.maxBytes > 0) context.onFlush(() => this.flush());
  }

  /** Whether each update needs to know the row before it. */
  get wantsOld(): boolean {
    return this.sendOldValues || this.holdsBack;
  }

  /**
   * The timestamp with which a delete goes downstream: its row's, as with any update, but that of the record if it is held back.
   * Kafka: `TimestampedCacheFlushListener`.
   */
  deleteTimeMs(of: { readonly rowMs: number; readonly recordMs: number }): number {
    return this.holdsBack ? of.recordMs : of.rowMs;
  }

  /** A row that came too late for its store's history goes no further. */
  update(update: RowUpdate<K, V>): Awaitable<void> {
    if (update.put === 'expired') return;
    if (this.maxBytes === 0) return this.forward(this.holdsBack ? asStored(update) : update);
    this.hold(update);
    if (this.heldBytes > this.maxBytes) return this.flush();
  }

  private hold(update: RowUpdate<K, V>): void {
    const earlier = this.held.get(update.key);
    const { oldCell, existed } = earlier ?? asStored(update);
    const kept = { ...update, oldCell, existed, origin: this.context.recordMetadata() ?? null };
    this.held.delete(update.key);
    this.held.set(update.key, kept);
    this.heldBytes += sizeOf(kept) - (earlier === undefined ? 0 : sizeOf(earlier));
  }

  /** Sends all that is held, also where it has come to be too much: Kafka's cache writes back every dirty entry when it evicts one. */
  private flush(): Awaitable<void> {
    const updates = [...this.held.values()];
    this.held.clear();
    this.heldBytes = 0;
    return forEachInOrder(updates, (update) => this.forwardHeld(update));
  }

  private forwardHeld(update: HeldRow<K, V>): Awaitable<void> {
    if (update.newCell.isNull && !update.existed) return;
    return this.context.forwardFrom(update.origin, this.recordOf(update));
  }

  private forward(update: RowUpdate<K, V>): Awaitable<void> {
    return this.context.forward(this.recordOf(update));
  }

  private recordOf(update: RowUpdate<K, V>): StreamRecord<K, Change<V>> {
    const { newCell, put } = update;
    const oldCell = this.sendOldValues ? update.oldCell : ABSENT;
    const change: Change<V> = put === 'outdated' ? { newCell, oldCell, isLatest: false } : { newCell, oldCell };
    return new StreamRecord(update.keyCell, Cell.of<Change<V>>(change), update.timestampMs, update.headers);
  }
}

/** With the old value that the store had. */
function asStored<K, V>(update: RowUpdate<K, V>): RowUpdate<K, V> {
  return update.existed ? update : { ...update, oldCell: ABSENT };
}

function sizeOf(update: RowUpdate<unknown, unknown>): number {
  return update.key.length + update.sizeBytes + HELD_OVERHEAD_BYTES;
}
