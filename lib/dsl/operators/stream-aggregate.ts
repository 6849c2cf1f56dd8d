/** Aggregations of streams. Kafka: `KStreamAggregate`, `KStreamReduce`. */
import { type Awaitable, andThen } from '../../model/awaitable.js';
import type { ProcessorSupplier } from '../../processor/processor.js';
import type { Change } from '../change.js';
import { type AggregateNode, AggregateProcessor, type RowFold } from './aggregate-processor.js';

/** Counting looks at neither key nor value: their bytes are enough. */
export const countFold: RowFold<unknown, unknown, number> = (_record, count) => (count ?? 0) + 1;

export function reduceFold<V>(reducer: (aggregate: V, value: V) => Awaitable<V | null>): RowFold<unknown, V, V> {
  return (record, aggregate) => (aggregate === null ? record.value : reducer(aggregate, record.value));
}

export function aggregateFold<K, V, A>(
  init: () => Awaitable<A>,
  add: (key: K, value: V, aggregate: A) => Awaitable<A | null>,
): RowFold<K, V, A> {
  return (record, aggregate) => andThen(aggregate ?? init(), (start) => add(record.key, record.value, start));
}

export function streamAggregate<K, V, A>(
  node: AggregateNode<K, A>,
  fold: RowFold<K, V, A>,
): ProcessorSupplier<K, V, K, Change<A>> {
  return () => new AggregateProcessor(node, fold);
}
