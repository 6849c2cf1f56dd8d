/** Aggregations of streams. Kafka: `KStreamAggregate`, `KStreamReduce`. */
import { type Awaitable, andThen } from '../../model/awaitable.js';
import type { ProcessorSupplier } from '../../processor/processor.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { Change } from '../change.js';
import { type AggregateNode, AggregateProcessor, type RowFold } from './aggregate-processor.js';

/** Counting looks at neither key nor value: their bytes are enough. */
export const countFold: RowFold<unknown, unknown, number> = Object.assign(
  (_record: unknown, count: number | null) => (count ?? 0) + 1,
  { init: () => 0 },
);

export function reduceFold<V>(reducer: (aggregate: V, value: V) => Awaitable<V | null>): RowFold<unknown, V, V> {
  return (record, aggregate) => (aggregate === null ? record.value : reducer(aggregate, record.value));
}

export function aggregateFold<K, V, A>(
  init: () => Awaitable<A>,
  add: (key: K, value: V, aggregate: A) => Awaitable<A | null>,
): RowFold<K, V, A> {
  const fold = (record: StreamRecord<K, V>, aggregate: A | null) =>
    andThen(aggregate ?? init(), (start) => add(record.key, record.value, start));
  return Object.assign(fold, { init });
}

export function streamAggregate<K, V, A>(
  node: AggregateNode<K, A>,
  fold: RowFold<K, V, A>,
): ProcessorSupplier<K, V, K, Change<A>> {
  return () => new AggregateProcessor(node, fold);
}
