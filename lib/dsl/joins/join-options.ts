/** What joins are told. Kafka: `Joined`, `ValueJoinerWithKey`. */
import type { Awaitable } from '../../model/awaitable.js';
import type { NamedOptions } from '../options.js';

/** Which side may be missing: neither, the other, or either. */
export type JoinKind = 'inner' | 'left' | 'outer';

/** A stream's record with the row of its key. Kafka: `KStream.join(KTable, …)`. */
export interface StreamTableJoin<K, V, VT, VR> extends NamedOptions {
  joiner(value: NonNullable<V>, tableValue: NonNullable<VT>, key: K): Awaitable<VR>;
}

/** A stream's record with the row of its key, or null. Kafka: `KStream.leftJoin(KTable, …)`. */
export interface StreamTableLeftJoin<K, V, VT, VR> extends NamedOptions {
  joiner(value: NonNullable<V>, tableValue: NonNullable<VT> | null, key: K): Awaitable<VR>;
}

/** What all joins have in common, before anybody knows the types. */
export interface AnyJoin extends NamedOptions {
  readonly joiner: (...args: never[]) => unknown;
}
