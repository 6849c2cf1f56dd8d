import type { Awaitable } from '../../model/awaitable.js';
import type { NamedOptions, StoreOptions } from '../options.js';
import type { JoinWindowOptions } from './join-windows.js';

/**
 * How a join of two streams keeps what they bring. Kafka: `StreamJoined`.
 *
 * `store` names the stores (`<store>-this-join-store` and its kin), `name` the nodes and repartition topics (`<name>-left-repartition`);
 * the serdes are those of the streams.
 */
export interface StreamJoinOptions
  extends NamedOptions,
    JoinWindowOptions,
    Pick<StoreOptions, 'store' | 'inMemory' | 'logged' | 'changelogConfig'> {}

/** Each pair of records within the window. Kafka: `KStream.join(KStream, …)`. */
export interface StreamStreamJoin<K, V1, V2, VR> extends StreamJoinOptions {
  joiner(left: NonNullable<V1>, right: NonNullable<V2>, key: K): Awaitable<VR>;
}

/** And each record of the left stream that has met nothing; its key may be null (KIP-962). Kafka: `KStream.leftJoin(KStream, …)`. */
export interface StreamStreamLeftJoin<K, V1, V2, VR> extends StreamJoinOptions {
  joiner(left: NonNullable<V1>, right: NonNullable<V2> | null, key: K): Awaitable<VR>;
}

/** And each record of either stream that has met nothing: one side is there. Kafka: `KStream.outerJoin(KStream, …)`. */
export interface StreamStreamOuterJoin<K, V1, V2, VR> extends StreamJoinOptions {
  joiner(left: NonNullable<V1> | null, right: NonNullable<V2> | null, key: K): Awaitable<VR>;
}
