/** From a topic's records to a table's updates, and back to records. Kafka: `KTableSource`, `KTableToStream`. */
import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import type { Cell } from '../../serde/cell.js';
import type { StoredValue } from '../../state/byte-store.js';
import { ABSENT, type Change } from '../change.js';
import { ChangeForwarder, type ForwarderOptions } from './change-forwarder.js';
import type { RowFormat, RowPut, RowStore } from './row-store.js';
import { openRows } from './versioned-row-store.js';

export interface TableSourceNode<K, V> extends ForwarderOptions {
  /** Where the table is kept; null if nobody asks for it. */
  readonly format: RowFormat<K, V> | null;
}

export function tableSource<K, V>(node: TableSourceNode<K, V>): ProcessorSupplier<K, V, K, Change<V>> {
  const { format } = node;
  return format === null ? () => new PassingSource() : () => new KeptSource(node, format);
}

class PassingSource<K, V> implements Processor<K, V, K, Change<V>> {
  declare private context: EngineContext<K, Change<V>>;

  init(context: ProcessorContext<K, Change<V>>): void {
    this.context = context as EngineContext<K, Change<V>>;
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    if (record.keyCell.isNull) return this.context.recordDropped('null-key');
    return this.context.forward(record.withValue({ newCell: record.valueCell as Cell<V | null>, oldCell: ABSENT }));
  }
}

class KeptSource<K, V> implements Processor<K, V, K, Change<V>> {
  private readonly node: TableSourceNode<K, V>;
  private readonly format: RowFormat<K, V>;
  declare private context: EngineContext<K, Change<V>>;
  declare private rows: RowStore<K, V>;
  declare private forwarder: ChangeForwarder<K, V>;

  constructor(node: TableSourceNode<K, V>, format: RowFormat<K, V>) {
    this.node = node;
    this.format = format;
  }

  init(context: ProcessorContext<K, Change<V>>): void {
    this.context = context as EngineContext<K, Change<V>>;
    this.rows = openRows(context, this.format);
    this.forwarder = new ChangeForwarder(this.context, this.node);
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.format.key);
    if (key === null) return this.context.recordDropped('null-key');
    const stored = this.forwarder.wantsOld ? this.rows.get(key) : null;
    return isPromise(stored) ? stored.then((later) => this.write(record, key, later)) : this.write(record, key, stored);
  }

  private write(record: StreamRecord<K, V>, key: ByteKey, stored: StoredValue | null): Awaitable<void> {
    const bytes = record.valueCell.bytes(this.format.value);
    const put = this.rows.putRow(key, bytes, record.timestampMs);
    const sizeBytes = bytes === null ? 0 : bytes.length;
    return isPromise(put)
      ? put.then((later) => this.forward(record, key, stored, sizeBytes, later))
      : this.forward(record, key, stored, sizeBytes, put);
  }

  private forward(
    record: StreamRecord<K, V>,
    key: ByteKey,
    stored: StoredValue | null,
    sizeBytes: number,
    put: RowPut,
  ): Awaitable<void> {
    return this.forwarder.update({
      key,
      keyCell: record.keyCell,
      newCell: record.valueCell as Cell<V | null>,
      oldCell: this.rows.cell(stored),
      existed: stored !== null,
      put,
      timestampMs: record.timestampMs,
      headers: record.headers,
      sizeBytes,
    });
  }
}

/** A table's updates as records: the new value, null for a deleted row. */
export function toStream<K, V>(): ProcessorSupplier<K, Change<V>, K, V | null> {
  return () => {
    let context: ProcessorContext<K, V | null>;
    return {
      init(given) {
        context = given;
      },
      process: (record) =>
        context.forward(new StreamRecord(record.keyCell, record.value.newCell, record.timestampMs, record.headers)),
    };
  };
}
