import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import type { TableReader, TableRow, TableView } from '../table-view.js';
import type { SubscriptionResponse } from './subscription.js';
import { hashOf } from './value-hash.js';

export interface ResolveNode<K, V, VO, VR> {
  readonly view: TableView<K, V>;
  readonly valueSerde: Serde<V>;
  readonly isLeft: boolean;
  readonly joiner: (value: V, foreignValue: VO | null, key: K) => Awaitable<VR | null>;
}

/**
 * Joins a response with the left row, if that is still the one that asked: the answer to an older one is dropped, since a newer is on its way.
 * Kafka: `ResponseJoinProcessorSupplier`.
 */
export function resolveResponses<K, V, VO, VR>(
  node: ResolveNode<K, V, VO, VR>,
): ProcessorSupplier<K, SubscriptionResponse<VO>, K, VR | null> {
  return () => new ResolveProcessor(node);
}

class ResolveProcessor<K, V, VO, VR> implements Processor<K, SubscriptionResponse<VO>, K, VR | null> {
  private readonly node: ResolveNode<K, V, VO, VR>;
  declare private context: EngineContext<K, VR | null>;
  declare private rows: TableReader<K, V>;

  constructor(node: ResolveNode<K, V, VO, VR>) {
    this.node = node;
  }

  init(context: ProcessorContext<K, VR | null>): void {
    this.context = context as EngineContext<K, VR | null>;
    this.rows = this.node.view.open(context);
  }

  process(record: StreamRecord<K, SubscriptionResponse<VO>>): Awaitable<void> {
    const row = this.rows.get(record.keyCell);
    return isPromise(row) ? row.then((later) => this.resolve(record, later)) : this.resolve(record, row);
  }

  private resolve(record: StreamRecord<K, SubscriptionResponse<VO>>, row: TableRow<V> | null): Awaitable<void> {
    const { hash, foreignValue } = record.value;
    const current = row === null ? null : hashOf(this.node.valueSerde, row.cell as Cell<V>);
    if (!areSame(hash, current)) return this.context.recordDropped('superseded');
    if (row === null || (foreignValue.isNull && !this.node.isLeft)) {
      return this.context.forward(record.withValue(null));
    }
    const joined = this.node.joiner(row.cell.value as V, foreignValue.value, record.key);
    if (isPromise(joined)) return joined.then((later) => this.context.forward(record.withValue(later ?? null)));
    return this.context.forward(record.withValue(joined ?? null));
  }
}

function areSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}
