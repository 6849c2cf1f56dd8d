/**
 * One side of a join of two streams: each record meets those that the other stream has brought within the window.
 * Kafka: `KStreamKStreamJoin`.
 */
import { type Awaitable, andThen, forEachInOrder, isPromise } from '../../model/awaitable.js';
import { asBuffer, type ByteKey, byteKey, bytesOfKey, type PackedBytes } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import type { JoinSide } from '../../state/non-joined-layout.js';
import type { JoinWindows } from '../joins/join-windows.js';
import { JoinWindow, type JoinWindowFormat, type WindowMatch } from './join-window.js';
import { type ClosedRecords, NonJoinedRecords } from './non-joined-records.js';

/** What both sides of a join have in common. */
export interface StreamStreamJoinNode<K, V1, V2, VOut> {
  readonly windows: JoinWindows;
  readonly left: JoinWindowFormat<K, V1>;
  readonly right: JoinWindowFormat<K, V2>;
  /** The records that have met nothing: their store, and whether they are of both streams; null in an inner join. */
  readonly nonJoined: { readonly store: string; readonly bothWait: boolean } | null;
  /** A side whose record has met nothing is null. */
  joiner(left: V1 | null, right: V2 | null, key: K): Awaitable<VOut>;
}

/**
 * @param side whose records the processor is given
 * @param outer whether its records are given out alone where they meet nothing
 */
export function streamStreamJoin<K, V1, V2, VOut>(
  node: StreamStreamJoinNode<K, V1, V2, VOut>,
  side: JoinSide,
  outer: boolean,
): ProcessorSupplier<K, V1 | V2, K, VOut> {
  return () => new StreamStreamJoin(node, side, outer);
}

class StreamStreamJoin<K, V1, V2, VOut> implements Processor<K, V1 | V2, K, VOut> {
  private readonly node: StreamStreamJoinNode<K, V1, V2, VOut>;
  private readonly side: JoinSide;
  private readonly otherSide: JoinSide;
  private readonly outer: boolean;
  private readonly beforeMs: number;
  private readonly afterMs: number;
  private readonly key: Serde<K>;
  private readonly value: Serde<V1 | V2>;
  declare private context: EngineContext<K, VOut>;
  declare private other: JoinWindow<K, V1 | V2>;
  declare private nonJoined: NonJoinedRecords | null;

  constructor(node: StreamStreamJoinNode<K, V1, V2, VOut>, side: JoinSide, outer: boolean) {
    const { beforeMs, afterMs } = node.windows;
    const isLeft = side === 'left';
    this.node = node;
    this.side = side;
    this.otherSide = isLeft ? 'right' : 'left';
    this.outer = outer;
    this.beforeMs = isLeft ? beforeMs : afterMs;
    this.afterMs = isLeft ? afterMs : beforeMs;
    this.key = node.left.key;
    this.value = (isLeft ? node.left : node.right).value as Serde<V1 | V2>;
  }

  init(context: ProcessorContext<K, VOut>): void {
    const { windows, left, right, nonJoined } = this.node;
    this.context = context as EngineContext<K, VOut>;
    const other = this.side === 'left' ? right : left;
    this.other = new JoinWindow(context, other as unknown as JoinWindowFormat<K, V1 | V2>);
    this.nonJoined = nonJoined === null ? null : new NonJoinedRecords(this.context, { ...nonJoined, windows });
  }

  process(record: StreamRecord<K, V1 | V2>): Awaitable<void> {
    const { nonJoined } = this;
    nonJoined?.advance(record.timestampMs);
    const key = record.keyCell.byteKey(this.key);
    if (record.valueCell.isNull) return this.context.recordDropped(key === null ? 'null-key' : 'null-value');
    if (key === null) return this.outer ? this.forwardAlone(record) : this.context.recordDropped('null-key');
    if (nonJoined === null || record.timestampMs !== nonJoined.streamTimeMs) return this.join(record, key);
    const closed = this.forwardClosed(record, nonJoined);
    return isPromise(closed) ? closed.then(() => this.join(record, key)) : this.join(record, key);
  }

  /** No closure on the synchronous path: this runs once a record. */
  private join(record: StreamRecord<K, V1 | V2>, key: ByteKey): Awaitable<void> {
    const { timestampMs } = record;
    const fromMs = Math.max(0, timestampMs - this.beforeMs);
    const matches = this.other.matches(key, fromMs, Math.max(0, timestampMs + this.afterMs));
    return isPromise(matches)
      ? matches.then((later) => this.meet(record, key, later))
      : this.meet(record, key, matches);
  }

  private meet(
    record: StreamRecord<K, V1 | V2>,
    key: ByteKey,
    matches: readonly WindowMatch<V1 | V2>[],
  ): Awaitable<void> {
    if (matches.length > 0) return forEachInOrder(matches, (match) => this.forwardJoined(record, key, match));
    if (this.outer) return this.setAside(record, key);
  }

  private forwardJoined(
    record: StreamRecord<K, V1 | V2>,
    key: ByteKey,
    { value, timestampMs }: WindowMatch<V1 | V2>,
  ): Awaitable<void> {
    const met = { side: this.otherSide, key, timestampMs };
    const removed = this.nonJoined?.remove(met, record.timestampMs);
    return andThen(removed, () =>
      andThen(this.joined(record.value, value.value, record.key), (out) =>
        this.forward(record.keyCell, out, Math.max(record.timestampMs, timestampMs), record),
      ),
    );
  }

  /** Keeps a record that has met nothing, unless all that it could meet is past. */
  private setAside(record: StreamRecord<K, V1 | V2>, key: ByteKey): Awaitable<void> {
    const { nonJoined } = this;
    const { timestampMs } = record;
    if (nonJoined === null || Math.max(0, timestampMs + this.afterMs) < nonJoined.streamTimeMs)
      return this.forwardAlone(record);
    const value = record.valueCell.encoded(this.value) as PackedBytes | Uint8Array;
    return nonJoined.add(this.side, key, typeof value === 'string' ? value : byteKey(value), timestampMs);
  }

  private forwardAlone(record: StreamRecord<K, V1 | V2>): Awaitable<void> {
    return andThen(this.joined(record.value, null, record.key), (out) =>
      this.forward(record.keyCell, out, record.timestampMs, record),
    );
  }

  /** Gives out what has closed; its headers are those of the record that moved time on, as in Kafka Streams. */
  private forwardClosed(record: StreamRecord<K, V1 | V2>, nonJoined: NonJoinedRecords): Awaitable<void> {
    return andThen(nonJoined.closed(this.side), (closed) => {
      if (closed.length === 0) return;
      return forEachInOrder(closed, (each) =>
        andThen(this.forwardAll(each, record), () => nonJoined.remove(each, record.timestampMs)),
      );
    });
  }

  private forwardAll(
    { side, key, timestampMs, values }: ClosedRecords,
    now: StreamRecord<K, V1 | V2>,
  ): Awaitable<void> {
    const keyCell = cellOf(this.key, key);
    return forEachInOrder(values, (packed) => {
      const { left, right } = this.node;
      const out =
        side === 'left'
          ? this.node.joiner(cellOf(left.value, packed).value, null, keyCell.value)
          : this.node.joiner(null, cellOf(right.value, packed).value, keyCell.value);
      return andThen(out, (joined) => this.forward(keyCell, joined, timestampMs, now));
    });
  }

  private joined(mine: V1 | V2, others: V1 | V2 | null, key: K): Awaitable<VOut> {
    const { joiner } = this.node;
    return this.side === 'left'
      ? joiner(mine as V1, others as V2 | null, key)
      : joiner(others as V1 | null, mine as V2, key);
  }

  private forward(
    keyCell: Cell<K>,
    value: VOut,
    timestampMs: number,
    { headers }: StreamRecord<unknown, unknown>,
  ): Awaitable<void> {
    return this.context.forward(new StreamRecord(keyCell, Cell.of(value), timestampMs, headers));
  }
}

function cellOf<T>(serde: Serde<T>, packed: PackedBytes): Cell<T> {
  return Cell.read(serde, asBuffer(bytesOfKey(packed)), 0, packed.length);
}
