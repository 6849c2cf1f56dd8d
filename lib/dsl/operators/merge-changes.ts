/** Updates of one table that several operators write, as its children see them. Kafka: `KTablePassThrough`. */
import type { Awaitable } from '../../model/awaitable.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { Serde } from '../../serde/serde.js';
import type { Change } from '../change.js';
import type { AggregateNode } from './aggregate-processor.js';
import { ChangeForwarder } from './change-forwarder.js';

/**
 * Updates are held back here and nowhere above, so that those of one row stay in order whoever wrote it. They come with their old
 * values.
 */
export function mergeChanges<K, V>(node: AggregateNode<K, V>): ProcessorSupplier<K, Change<V>, K, Change<V>> {
  return () => new MergeChanges(node);
}

class MergeChanges<K, V> implements Processor<K, Change<V>, K, Change<V>> {
  private readonly node: AggregateNode<K, V>;
  declare private context: EngineContext<K, Change<V>>;
  declare private forwarder: ChangeForwarder<K, V>;

  constructor(node: AggregateNode<K, V>) {
    this.node = node;
  }

  init(context: ProcessorContext<K, Change<V>>): void {
    this.context = context as EngineContext<K, Change<V>>;
    this.forwarder = new ChangeForwarder(this.context, this.node);
  }

  process({ keyCell, valueCell, timestampMs, headers }: StreamRecord<K, Change<V>>): Awaitable<void> {
    const { key: keySerde, value } = this.node.format;
    const key = keyCell.byteKey(keySerde);
    if (key === null) return this.context.recordDropped('null-key');
    const { newCell, oldCell } = valueCell.value;
    const sizeBytes = newCell.encoded(value as Serde<V | null>)?.length ?? 0;
    return this.forwarder.update({
      key,
      keyCell,
      newCell,
      oldCell,
      existed: !oldCell.isNull,
      timestampMs,
      headers,
      sizeBytes,
    });
  }
}
