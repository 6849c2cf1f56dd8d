/** Aggregations of grouped tables. Kafka: `KTableAggregate`, `KTableReduce`. */
import { type Awaitable, andThen } from '../../model/awaitable.js';
import type { ProcessorSupplier } from '../../processor/processor.js';
import type { Cell } from '../../serde/cell.js';
import type { Change } from '../change.js';
import { type AggregateNode, AggregateProcessor, type RowFold } from './aggregate-processor.js';

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
  return () => new AggregateProcessor(node, changeFold(fold));
}

/** First the old value leaves the group of its key, then the new one enters. */
function changeFold<K, V, A>(fold: GroupFold<K, V, A>): RowFold<K, Change<V>, A> {
  return (record, before) => {
    const { newCell, oldCell } = record.value;
    const rest = before === null || oldCell.isNull ? before : fold.subtract(record.keyCell, oldCell.value as V, before);
    return andThen(rest, (left) => (newCell.isNull ? left : fold.add(record.keyCell, newCell.value as V, left)));
  };
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
