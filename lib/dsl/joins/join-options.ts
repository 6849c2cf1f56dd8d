/** What joins are told. Kafka: `Joined`, `ValueJoinerWithKey`. */
import type { Awaitable } from '../../model/awaitable.js';
import type { Duration } from '../../model/duration.js';
import type { Serde } from '../../serde/serde.js';
import type { StreamPartitioner } from '../../topology/node.js';
import type { NamedOptions, StoreOptions } from '../options.js';

/** Which side may be missing: neither, the other, or either. */
export type JoinKind = 'inner' | 'left' | 'outer';

/** How a stream waits for a table. Kafka: `Joined.withGracePeriod` (KIP-923). */
export interface Graceful {
  /**
   * How long records wait, by the greatest timestamp that has come, for rows that come late: each is then joined with the row of its own
   * time, in the order of time. The table must keep its history for at least as long. Default: no wait.
   */
  readonly grace?: Duration;
}

/** A stream's record with the row of its key. Kafka: `KStream.join(KTable, …)`. */
export interface StreamTableJoin<K, V, VT, VR> extends NamedOptions, Graceful {
  joiner(value: NonNullable<V>, tableValue: NonNullable<VT>, key: K): Awaitable<VR>;
}

/** A stream's record with the row of its key, or null. Kafka: `KStream.leftJoin(KTable, …)`. */
export interface StreamTableLeftJoin<K, V, VT, VR> extends NamedOptions, Graceful {
  joiner(value: NonNullable<V>, tableValue: NonNullable<VT> | null, key: K): Awaitable<VR>;
}

/** Which row of a global table belongs to a record. Kafka: the `KeyValueMapper` of a join with a `GlobalKTable`. */
export interface ForeignKeyOfRecord<K, V, KT> {
  /** The row's key; null: none. Not asked for records with a null value, which are dropped. */
  foreignKey(key: K, value: NonNullable<V>): Awaitable<KT | null>;
}

/** A row of one table with the row of the same key of another. Kafka: `KTable.join(KTable, …)`. */
export interface TableJoin<K, V, VO, VR> extends NamedOptions, StoreOptions {
  joiner(value: NonNullable<V>, other: NonNullable<VO>, key: K): Awaitable<VR | null>;
}

/** A row of one table with the row of the same key of another, or null. Kafka: `KTable.leftJoin(KTable, …)`. */
export interface TableLeftJoin<K, V, VO, VR> extends NamedOptions, StoreOptions {
  joiner(value: NonNullable<V>, other: NonNullable<VO> | null, key: K): Awaitable<VR | null>;
}

/** A row of either of two tables with that of the other, or null; one of both is there. Kafka: `KTable.outerJoin`. */
export interface TableOuterJoin<K, V, VO, VR> extends NamedOptions, StoreOptions {
  joiner(value: NonNullable<V> | null, other: NonNullable<VO> | null, key: K): Awaitable<VR | null>;
}

/** What a foreign-key join is told besides its joiner. Kafka: `TableJoined`, KIP-213. */
export interface ForeignKey<K, V, KO> {
  /**
   * The other table's key that a row names, or null for none: such a row joins nothing (in a left join, null). Called again for the row
   * as it was whenever it changes: it must depend on nothing else.
   */
  foreignKey(value: NonNullable<V>, key: K): Awaitable<KO | null>;
  /** How this table's topic is partitioned, if not by the default; its value argument is internal. */
  readonly partitioner?: StreamPartitioner;
  /** How the other table's topic is partitioned, if not by the default. */
  readonly otherPartitioner?: StreamPartitioner;
}

/** What all foreign-key joins have in common, before anybody knows the types. */
export interface AnyForeignKeyJoin extends NamedOptions, StoreOptions {
  readonly value?: Serde<unknown>;
  readonly partitioner?: StreamPartitioner;
  readonly otherPartitioner?: StreamPartitioner;
}

/** The operator's name, for errors. */
export function operatorOf(kind: JoinKind): string {
  return kind === 'inner' ? 'join' : `${kind}Join`;
}

/** What all joins have in common, before anybody knows the types. */
export interface AnyJoin extends NamedOptions {
  readonly joiner: (...args: never[]) => unknown;
}

/** What the compiler names where a stream is joined as it cannot be, with what such a join is given. Nothing is of this type. */
export interface JoinNeeds<Words extends string> extends AnyJoin {
  readonly needed: Words;
}

/** In words, what a stream's join with that is given: by what streams, tables and global tables alone have. */
export type JoinNeedsWith<Other> = Other extends { readonly mapValuesAsync: unknown }
  ? JoinNeeds<'streams of one type of key: { within, joiner }, and the serde as value where the type changes'>
  : Other extends { readonly toStream: unknown }
    ? JoinNeeds<'a table of the same type of key: { joiner }, and the serde as value where the type changes'>
    : JoinNeeds<'a global table: { foreignKey, joiner }, and the serde as value where the type changes'>;
