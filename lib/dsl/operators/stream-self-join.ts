/**
 * A stream joined with itself, kept in one window: each record meets those before it as left and as right, and itself once.
 * Kafka: `KStreamKStreamSelfJoin` (KIP-862).
 */
import { type Awaitable, andThen, forEachInOrder } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { JoinWindows } from '../joins/join-windows.js';
import { JoinWindow, type JoinWindowFormat, type WindowMatch } from './join-window.js';
import { WindowClose } from './window-close.js';

export interface StreamSelfJoinNode<K, V, VOut> {
  readonly windows: JoinWindows;
  readonly window: JoinWindowFormat<K, V>;
  joiner(left: V, right: V, key: K): Awaitable<VOut>;
}

/** Whether one window does as well as two: every record has to lie within its own window. Kafka Streams does not look. */
export function canMeetItself({ beforeMs, afterMs }: JoinWindows): boolean {
  return beforeMs >= 0 && afterMs >= 0;
}

export function streamSelfJoin<K, V, VOut>(node: StreamSelfJoinNode<K, V, VOut>): ProcessorSupplier<K, V, K, VOut> {
  return () => new StreamSelfJoin(node);
}

class StreamSelfJoin<K, V, VOut> implements Processor<K, V, K, VOut> {
  private readonly node: StreamSelfJoinNode<K, V, VOut>;
  declare private context: EngineContext<K, VOut>;
  declare private window: JoinWindow<K, V>;
  /** By the times of what can be joined alone: the window's own goes on with values that are null. */
  declare private bound: WindowClose;

  constructor(node: StreamSelfJoinNode<K, V, VOut>) {
    this.node = node;
  }

  init(context: ProcessorContext<K, VOut>): void {
    this.context = context as EngineContext<K, VOut>;
    const { store, retentionMs } = this.node.window;
    this.window = new JoinWindow(context, this.node.window);
    // Kafka Streams' bound is a millisecond short of the window's own.
    this.bound = new WindowClose(this.context, { name: `millrace.self-join.${store}`, waitMs: retentionMs - 1 });
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.node.window.key);
    if (key === null) return this.context.recordDropped('null-key');
    if (record.valueCell.isNull) return this.context.recordDropped('null-value');
    this.bound.observe(record.timestampMs);
    return andThen(this.matches(record, key, 'left'), (rights) =>
      andThen(
        forEachInOrder(rights, (right) =>
          this.forwardJoined(record, record.value, right.value.value, right.timestampMs),
        ),
        () => andThen(this.matches(record, key, 'right'), (lefts) => this.meetLefts(record, lefts)),
      ),
    );
  }

  /** Those that the record meets as the record of that side. */
  private matches(
    { timestampMs }: StreamRecord<K, V>,
    key: ByteKey,
    side: 'left' | 'right',
  ): Awaitable<readonly WindowMatch<V>[]> {
    const { beforeMs, afterMs } = this.node.windows;
    const [before, after] = side === 'left' ? [beforeMs, afterMs] : [afterMs, beforeMs];
    return this.window.matches(key, Math.max(0, timestampMs - before), Math.max(0, timestampMs + after));
  }

  /** The record meets itself before the first that is later than it, as it would between two windows. */
  private meetLefts(record: StreamRecord<K, V>, lefts: readonly WindowMatch<V>[]): Awaitable<void> {
    const { timestampMs } = record;
    const later = this.isKept(record) ? lefts.findIndex((left) => left.timestampMs > timestampMs) : lefts.length;
    const at = later < 0 ? lefts.length : later;
    const meet = (left: WindowMatch<V>) => this.forwardJoined(record, left.value.value, record.value, left.timestampMs);
    return andThen(forEachInOrder(lefts.slice(0, at), meet), () =>
      andThen(
        this.isKept(record) ? this.forwardJoined(record, record.value, record.value, timestampMs) : undefined,
        () => forEachInOrder(lefts.slice(at), meet),
      ),
    );
  }

  /** Whether the record comes early enough to meet itself. */
  private isKept({ timestampMs }: StreamRecord<K, V>): boolean {
    return timestampMs > this.bound.closeMs;
  }

  private forwardJoined(record: StreamRecord<K, V>, left: V, right: V, otherMs: number): Awaitable<void> {
    return andThen(this.node.joiner(left, right, record.key), (out) =>
      this.context.forward(
        new StreamRecord(record.keyCell, Cell.of(out), Math.max(record.timestampMs, otherMs), record.headers),
      ),
    );
  }
}
