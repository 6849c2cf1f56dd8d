import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { TableReader, TableRow, TableView } from '../table-view.js';

export interface StreamTableJoinNode<K, V, VT, VR> {
  readonly view: TableView<K, VT>;
  /** Whether a record without row is joined with null. */
  readonly isLeft: boolean;
  readonly joiner: (value: V, tableValue: VT | null, key: K) => Awaitable<VR>;
}

/** Each record with the row that its key has now, or had at the record's time if the table keeps its history; the record's timestamp stays. Kafka: `KStreamKTableJoinProcessor`. */
export function streamTableJoin<K, V, VT, VR>(node: StreamTableJoinNode<K, V, VT, VR>): ProcessorSupplier<K, V, K, VR> {
  return () => new StreamTableJoinProcessor(node);
}

class StreamTableJoinProcessor<K, V, VT, VR> implements Processor<K, V, K, VR> {
  private readonly node: StreamTableJoinNode<K, V, VT, VR>;
  declare private context: EngineContext<K, VR>;
  declare private rows: TableReader<K, VT>;

  constructor(node: StreamTableJoinNode<K, V, VT, VR>) {
    this.node = node;
  }

  init(context: ProcessorContext<K, VR>): void {
    this.context = context as EngineContext<K, VR>;
    this.rows = this.node.view.open(context);
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    if (record.valueCell.isNull) return this.context.recordDropped('null-value');
    if (record.keyCell.isNull && !this.node.isLeft) return this.context.recordDropped('null-key');
    const row = this.rowFor(record);
    return isPromise(row) ? row.then((later) => this.join(record, later)) : this.join(record, row);
  }

  /** As of the record's time, where the table keeps its history. */
  private rowFor(record: StreamRecord<K, V>): Awaitable<TableRow<VT> | null> {
    const { rows } = this;
    if (rows.getAsOf === undefined) return rows.get(record.keyCell);
    return rows.getAsOf(record.keyCell, record.timestampMs);
  }

  private join(record: StreamRecord<K, V>, row: TableRow<VT> | null): Awaitable<void> {
    if (row === null && !this.node.isLeft) return;
    const joined = this.node.joiner(record.value, row === null ? null : row.cell.value, record.key);
    if (isPromise(joined)) return joined.then((later) => this.context.forward(record.withValue(later)));
    return this.context.forward(record.withValue(joined));
  }
}
