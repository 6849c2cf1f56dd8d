/** Aggregations of grouped tables. Kafka: `KTableAggregate`, `KTableReduce`. */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { StoredValue } from '../../state/byte-store.js';
import type { Change } from '../change.js';
import { ChangeForwarder } from './change-forwarder.js';
import { RowStore } from './row-store.js';
import type { AggregateNode } from './stream-aggregate.js';

/** How rows enter and leave a group. */
export interface GroupFold<K, V, A> {
  /** `aggregate` null: the group is empty. */
  add(key: Cell<K>, value: V, aggregate: A | null): Awaitable<A | null>;
  subtract(key: Cell<K>, value: V, aggregate: A): Awaitable<A | null>;
}

export const countGroupFold: GroupFold<unknown, unknown, number> = {
  add: (_key, _value, count) => (count ?? 0) + 1,
  subtract: (_key, _value, count) => count - 1,
};

export function tableAggregate<K, V, A>(
  node: AggregateNode<K, A>,
  fold: GroupFold<K, V, A>,
): ProcessorSupplier<K, Change<V>, K, Change<A>> {
  return () => new TableAggregate(node, fold);
}

class TableAggregate<K, V, A> implements Processor<K, Change<V>, K, Change<A>> {
  private readonly node: AggregateNode<K, A>;
  private readonly fold: GroupFold<K, V, A>;
  declare private context: EngineContext<K, Change<A>>;
  declare private rows: RowStore<K, A>;
  declare private forwarder: ChangeForwarder<K, A>;

  constructor(node: AggregateNode<K, A>, fold: GroupFold<K, V, A>) {
    this.node = node;
    this.fold = fold;
  }

  init(context: ProcessorContext<K, Change<A>>): void {
    this.context = context as EngineContext<K, Change<A>>;
    this.rows = new RowStore(context, this.node.format);
    this.forwarder = new ChangeForwarder(this.context, this.node);
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.node.format.key);
    if (key === null) return this.context.recordDropped('null-key');
    const stored = this.rows.get(key);
    return isPromise(stored)
      ? stored.then((later) => this.subtractThenAdd(record, key, later))
      : this.subtractThenAdd(record, key, stored);
  }

  private subtractThenAdd(
    record: StreamRecord<K, Change<V>>,
    key: ByteKey,
    stored: StoredValue | null,
  ): Awaitable<void> {
    const { newCell, oldCell } = record.value;
    const before = stored === null ? null : this.rows.decode(stored);
    const subtracted =
      before === null || oldCell.isNull ? before : this.fold.subtract(record.keyCell, oldCell.value as V, before);
    return andThen(subtracted, (rest) => {
      const next = newCell.isNull ? rest : this.fold.add(record.keyCell, newCell.value as V, rest);
      return andThen(next, (after) => this.write(record, key, stored, after));
    });
  }

  private write(
    record: StreamRecord<K, Change<V>>,
    key: ByteKey,
    stored: StoredValue | null,
    next: A | null,
  ): Awaitable<void> {
    const timestampMs = stored === null ? record.timestampMs : Math.max(record.timestampMs, stored.timestampMs);
    const bytes = this.rows.put(key, next, timestampMs);
    return this.forwarder.update({
      key,
      keyCell: record.keyCell,
      newCell: Cell.of<A | null>(next),
      oldCell: this.rows.cell(stored),
      existed: stored !== null,
      timestampMs,
      headers: record.headers,
      sizeBytes: bytes === null ? 0 : bytes.length,
    });
  }
}

export function reduceGroupFold<V>(reducers: {
  add(aggregate: V, value: V): Awaitable<V | null>;
  subtract(aggregate: V, value: V): Awaitable<V | null>;
}): GroupFold<unknown, V, V> {
  return {
    add: (_key, value, aggregate) => (aggregate === null ? value : reducers.add(aggregate, value)),
    subtract: (_key, value, aggregate) => reducers.subtract(aggregate, value),
  };
}

export function groupFold<K, V, A>(functions: {
  init(): Awaitable<A>;
  add(key: K, value: V, aggregate: A): Awaitable<A | null>;
  subtract(key: K, value: V, aggregate: A): Awaitable<A | null>;
}): GroupFold<K, V, A> {
  return {
    add: (key, value, aggregate) =>
      andThen(aggregate ?? functions.init(), (start) => functions.add(key.value, value, start)),
    subtract: (key, value, aggregate) => functions.subtract(key.value, value, aggregate),
  };
}
