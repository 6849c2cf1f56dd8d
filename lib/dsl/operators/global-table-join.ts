import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { TableReader, TableRow, TableView } from '../table-view.js';

export interface GlobalTableJoinNode<K, V, KT, VT, VR> {
  readonly view: TableView<KT, VT>;
  /** Whether a record without row is joined with null. */
  readonly isLeft: boolean;
  /** The row's key; null: none. */
  readonly foreignKey: (key: K, value: V) => Awaitable<KT | null>;
  readonly joiner: (value: V, tableValue: VT | null, key: K) => Awaitable<VR>;
}

/**
 * Each record with the row that its function names, as the row is on this member now; key and timestamp stay. Kafka:
 * `KStreamGlobalKTableJoin`. User code is not asked about null values, which are dropped.
 */
export function globalTableJoin<K, V, KT, VT, VR>(
  node: GlobalTableJoinNode<K, V, KT, VT, VR>,
): ProcessorSupplier<K, V, K, VR> {
  return () => new GlobalTableJoinProcessor(node);
}

class GlobalTableJoinProcessor<K, V, KT, VT, VR> implements Processor<K, V, K, VR> {
  private readonly node: GlobalTableJoinNode<K, V, KT, VT, VR>;
  declare private context: EngineContext<K, VR>;
  declare private rows: TableReader<KT, VT>;

  constructor(node: GlobalTableJoinNode<K, V, KT, VT, VR>) {
    this.node = node;
  }

  init(context: ProcessorContext<K, VR>): void {
    this.context = context as EngineContext<K, VR>;
    this.rows = this.node.view.open(context);
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    if (record.valueCell.isNull) return this.context.recordDropped('null-value');
    return andThen(this.node.foreignKey(record.key, record.value), (key) => this.lookUp(record, key));
  }

  private lookUp(record: StreamRecord<K, V>, key: KT | null): Awaitable<void> {
    if (key !== null && key !== undefined) return andThen(this.rows.get(Cell.of(key)), (row) => this.join(record, row));
    return this.node.isLeft ? this.join(record, null) : this.context.recordDropped('null-key');
  }

  private join(record: StreamRecord<K, V>, row: TableRow<VT> | null): Awaitable<void> {
    if (row === null && !this.node.isLeft) return;
    const joined = this.node.joiner(record.value, row === null ? null : (row.cell.value as VT), record.key);
    if (isPromise(joined)) return joined.then((later) => this.context.forward(record.withValue(later)));
    return this.context.forward(record.withValue(joined));
  }
}
