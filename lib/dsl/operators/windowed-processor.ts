import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { Window, Windowed } from '../../model/windowed.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { Change } from '../change.js';
import { type WindowedNode, WindowRows } from './window-rows.js';

/** A result has the greatest timestamp of its window's records. */
export const rowTimestamp = (_window: Window, rowMs: number): number => rowMs;

/**
 * What aggregations of all kinds of windows share: a record without key is dropped, stream time is observed, the record goes into
 * its windows, and those that it has closed are handed on. Kafka: `AbstractKStreamTimeWindowAggregateProcessor`.
 */
export abstract class WindowedProcessor<K, V, A> implements Processor<K, V, Windowed<K>, Change<A>> {
  protected readonly node: WindowedNode<K, A>;
  declare protected context: EngineContext<Windowed<K>, Change<A>>;
  declare protected rows: WindowRows<K, A>;
  private readonly timestampOf: (window: Window, rowMs: number) => number;

  /** @param timestampOf the timestamp of a final result, from its window and that of its row */
  constructor(node: WindowedNode<K, A>, timestampOf: (window: Window, rowMs: number) => number) {
    this.node = node;
    this.timestampOf = timestampOf;
  }

  init(context: ProcessorContext<Windowed<K>, Change<A>>): Awaitable<void> {
    this.context = context as EngineContext<Windowed<K>, Change<A>>;
    this.rows = new WindowRows(this.context, this.node);
    return this.rows.init();
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.node.key);
    if (key === null) return this.context.recordDropped('null-key');
    const updated = this.aggregate(record, key);
    return isPromise(updated) ? updated.then(() => this.emitFinal(record)) : this.emitFinal(record);
  }

  /** Takes note of the record (`rows.observe`) and puts it into its windows, or drops it. */
  protected abstract aggregate(record: StreamRecord<K, V>, key: ByteKey): Awaitable<void>;

  private emitFinal(record: StreamRecord<K, V>): Awaitable<void> {
    return this.rows.emitFinal(record, this.timestampOf);
  }
}
