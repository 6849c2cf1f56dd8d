/** Where the two sides of a join of tables meet, and where its result is kept. Kafka: `KTableKTableJoinMerger`. */
import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { StoredValue } from '../../state/byte-store.js';
import { ABSENT, type Change, likeChange } from '../change.js';
import { ChangeForwarder, type ForwarderOptions } from './change-forwarder.js';
import type { RowFormat, RowPut, RowStore } from './row-store.js';
import { passThrough } from './stateless.js';
import { openRows } from './versioned-row-store.js';

export interface TableMergeNode<K, V> extends ForwarderOptions {
  /** Where the result is kept; null if it is not. */
  readonly format: RowFormat<K, V> | null;
}

export function tableMerge<K, V>(node: TableMergeNode<K, V>): ProcessorSupplier<K, Change<V>, K, Change<V>> {
  const { format } = node;
  if (format !== null) return () => new KeptMerge(node, format);
  return node.sendOldValues ? passThrough() : () => new NewValues();
}

class NewValues<K, V> implements Processor<K, Change<V>, K, Change<V>> {
  declare private context: ProcessorContext<K, Change<V>>;

  init(context: ProcessorContext<K, Change<V>>): void {
    this.context = context;
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    const change = record.value;
    if (change.oldCell.isNull) return this.context.forward(record);
    return this.context.forward(record.withValue(likeChange<V>(change, change.newCell, ABSENT)));
  }
}

class KeptMerge<K, V> implements Processor<K, Change<V>, K, Change<V>> {
  private readonly node: TableMergeNode<K, V>;
  private readonly format: RowFormat<K, V>;
  declare private context: EngineContext<K, Change<V>>;
  declare private rows: RowStore<K, V>;
  declare private forwarder: ChangeForwarder<K, V>;

  constructor(node: TableMergeNode<K, V>, format: RowFormat<K, V>) {
    this.node = node;
    this.format = format;
  }

  init(context: ProcessorContext<K, Change<V>>): void {
    this.context = context as EngineContext<K, Change<V>>;
    this.rows = openRows(context, this.format);
    this.forwarder = new ChangeForwarder(this.context, this.node);
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.format.key);
    if (key === null) return this.context.recordDropped('null-key');
    const stored = this.forwarder.holdsBack ? this.rows.get(key) : null;
    return isPromise(stored) ? stored.then((later) => this.keep(record, key, later)) : this.keep(record, key, stored);
  }

  private keep(record: StreamRecord<K, Change<V>>, key: ByteKey, stored: StoredValue | null): Awaitable<void> {
    const bytes = record.value.newCell.bytes(this.format.value as RowFormat<K, V | null>['value']);
    const put = this.rows.putRow(key, bytes, record.timestampMs);
    const row = { key, stored, sizeBytes: bytes === null ? 0 : bytes.length };
    return isPromise(put) ? put.then((later) => this.forward(record, row, later)) : this.forward(record, row, put);
  }

  /** The row before is the one that the join made of the rows before; of an update that is held back, the one that was stored. */
  private forward(
    record: StreamRecord<K, Change<V>>,
    {
      key,
      stored,
      sizeBytes,
    }: { readonly key: ByteKey; readonly stored: StoredValue | null; readonly sizeBytes: number },
    put: RowPut,
  ): Awaitable<void> {
    const { newCell, oldCell } = record.value;
    return this.forwarder.update({
      key,
      keyCell: record.keyCell,
      newCell,
      oldCell: this.forwarder.holdsBack ? this.rows.cell(stored) : oldCell,
      existed: stored !== null,
      put,
      timestampMs: record.timestampMs,
      headers: record.headers,
      sizeBytes,
    });
  }
}
