/**
 * The rows of a windowed aggregation: kept by key and window, and handed on at each update or once, when their window is closed.
 * Kafka: `AbstractKStreamTimeWindowAggregateProcessor`.
 *
 * Invariants
 *   W1  final results are given while the record is processed that closes their windows, so that nothing between two records is owed
 *   W2  they are read by their keys, wherever the store's retention has come to meanwhile: a jump of stream time loses none
 *   W3  a record is added to what the store's retention still covers alone, as in Kafka Streams, whatever is held for a final result
 */
import { type Awaitable, andThen, forEachInOrder } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { Headers } from '../../model/record-set.js';
import type { Window, Windowed } from '../../model/windowed.js';
import type { EngineContext } from '../../processor/engine-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import type { KeyRange, StoredEntry, StoredValue } from '../../state/byte-store.js';
import { clampTime, GREATEST_TIME_MS } from '../../state/packed-numbers.js';
import { collected } from '../../state/store-times.js';
import { ABSENT, type Change } from '../change.js';
import type { EmitStrategy } from '../windows/windows.js';
import { type AggregateNode, oldCell } from './aggregate-processor.js';
import { ChangeForwarder } from './change-forwarder.js';
import { OpenWindows } from './open-windows.js';
import { RowStore } from './row-store.js';
import { WindowClose } from './window-close.js';

export interface WindowedNode<K, A> extends AggregateNode<Windowed<K>, A> {
  /** The serde of a record's key; `format.key` is that of the store's whole keys. */
  readonly key: Serde<K>;
  readonly emit: EmitStrategy;
  /** Under which the time up to which windows are closed is committed. */
  readonly closeName: string;
  /** How long windows wait for late records: the grace, and for sessions the gap. */
  readonly waitMs: number;
  /** Whether a window may still take records of its own end. */
  readonly isEndInclusive: boolean;
  /** How long rows are found by a range of times, by the store's own stream time: its retention. */
  readonly retentionMs: number;
  /** From the greatest time of a window's key (its start, or a session's end) to its end. */
  readonly maxSizeMs: number;
  /** Order of final results of windows that end at one time. */
  readonly compare: (a: ByteKey, b: ByteKey) => number;
}

/** One update of a row. */
export interface WindowUpdate<K, A> {
  readonly at: ByteKey;
  /** Key of the record that brought it. */
  readonly keyCell: Cell<K>;
  readonly window: Window;
  readonly before: StoredValue | null;
  /** What a row that was not there began with, and is said to have been; null if that is nothing. */
  readonly start: A | null;
  /** Null deletes the row. */
  readonly next: A | null;
  /** Timestamp of the row in the store. */
  readonly storedMs: number;
  /** Timestamp of the update downstream. */
  readonly timestampMs: number;
  readonly headers: Headers;
}

export class WindowRows<K, A> {
  private readonly node: WindowedNode<K, A>;
  private readonly context: EngineContext<Windowed<K>, Change<A>>;
  private readonly rows: RowStore<Windowed<K>, A>;
  private readonly forwarder: ChangeForwarder<Windowed<K>, A>;
  private readonly close: WindowClose;
  /** Null where updates are handed on. */
  private readonly open: OpenWindows | null;

  constructor(context: EngineContext<Windowed<K>, Change<A>>, node: WindowedNode<K, A>) {
    const isFinal = node.emit === 'onWindowClose';
    this.node = node;
    this.context = context;
    this.rows = new RowStore(context, node.format);
    this.forwarder = new ChangeForwarder(context, isFinal ? { ...node, cached: false } : node);
    this.close = new WindowClose(context, { name: node.closeName, waitMs: node.waitMs });
    this.open = isFinal ? new OpenWindows(node.compare) : null;
  }

  /** Finds the windows that are still open; call once, before the first record. */
  init(): Awaitable<void> {
    const { open } = this;
    if (open === null) return;
    const range = { fromMs: clampTime(this.close.closeMs - this.node.maxSizeMs), toMs: GREATEST_TIME_MS };
    return andThen(collected(this.rows.bytes.entriesByTime(range)), (entries) => {
      const lastClosedMs = this.lastClosedEndMs();
      for (const { key } of entries) {
        const { endMs } = this.windowOf(key).window;
        if (endMs > lastClosedMs) open.add(endMs, key);
      }
    });
  }

  /** Whether updates are held back until the flush. */
  get holdsBack(): boolean {
    return this.forwarder.holdsBack;
  }

  /** The timestamp with which a delete goes downstream, where that of other updates is their row's. */
  deleteTimeMs(of: { readonly rowMs: number; readonly recordMs: number }): number {
    return this.forwarder.deleteTimeMs(of);
  }

  /** Takes note of a record. @returns the time up to which windows are closed now */
  observe(timestampMs: number): number {
    this.close.observe(timestampMs);
    return this.close.closeMs;
  }

  /** Rows of a range of keys, up to the first that is the last wanted. */
  collect(range: KeyRange, isLast?: (entry: StoredEntry) => boolean): Awaitable<readonly StoredEntry[]> {
    return collected(this.rows.bytes.entries(range), isLast);
  }

  /** The least time of a key that the store still answers for: what is before it counts as let go, wherever its bytes are. */
  get firstReadableMs(): number {
    return Math.max(0, this.rows.bytes.progress.streamTimeMs - this.node.retentionMs + 1);
  }

  get(at: ByteKey): Awaitable<StoredValue | null> {
    return this.rows.get(at);
  }

  /**
   * The row that a record is added to; null if the store has let the time of its key go (W3), wherever its bytes are. Streams of a cogroup
   * each have a time of their own, and one of them may be far behind the store that they share.
   */
  readable(at: ByteKey, timeMs: number): Awaitable<StoredValue | null> {
    return timeMs < this.firstReadableMs ? null : this.rows.get(at);
  }

  decode(stored: StoredValue): A {
    return this.rows.decode(stored);
  }

  update(update: WindowUpdate<K, A>): Awaitable<void> {
    const { at, keyCell, window, before, start, next, timestampMs, headers } = update;
    const bytes = this.rows.put(at, next, update.storedMs);
    if (this.open !== null) {
      if (bytes !== null) this.open.add(window.endMs, at);
      return;
    }
    return this.forwarder.update({
      key: at,
      keyCell: Cell.of<Windowed<K>>({ key: keyCell.value, window }),
      newCell: this.rows.written(next, bytes),
      oldCell: this.node.sendOldValues ? oldCell(this.rows, before, start) : ABSENT,
      existed: before !== null,
      timestampMs,
      headers,
      sizeBytes: bytes === null ? 0 : bytes.length,
    });
  }

  /**
   * Hands on the final results of the windows that have closed with a record, with its headers.
   *
   * @param timestampOf the timestamp of a result, from its window and that of its row
   */
  emitFinal(
    { headers }: StreamRecord<unknown, unknown>,
    timestampOf: (window: Window, rowMs: number) => number,
  ): Awaitable<void> {
    const closed = this.open?.takeUpTo(this.lastClosedEndMs()) ?? [];
    if (closed.length === 0) return;
    return forEachInOrder(closed, (at) =>
      andThen(this.rows.get(at), (stored) => {
        if (stored === null) return;
        const key = this.windowOf(at);
        const change: Change<A> = { newCell: this.rows.cell(stored), oldCell: ABSENT };
        const timestampMs = timestampOf(key.window, stored.timestampMs);
        return this.context.forward(new StreamRecord(Cell.of(key), Cell.of(change), timestampMs, headers));
      }),
    );
  }

  /** Windows that end here, or before, are closed. */
  private lastClosedEndMs(): number {
    return this.node.isEndInclusive ? this.close.closeMs - 1 : this.close.closeMs;
  }

  private windowOf(at: ByteKey): Windowed<K> {
    return this.rows.key(at);
  }
}
