/**
 * What the operators work on: streams, tables and their groups. One file, since each leads to the others.
 *
 * Every stream knows its serdes. An operator that changes a type takes the new serde, and it may be left out only where the new
 * type lies within the old and has no field that the old one has not (serde-needed.ts): so a topology that compiles never lacks one. Functions may be `async`; those that return plain
 * values cost no promise. Functions over values alone take `(value, key)`, all others `(key, value)`.
 */
import type { Awaitable } from '../model/awaitable.js';
import type { Windowed } from '../model/windowed.js';
import type { FixedKeyProcessorSupplier } from '../processor/fixed-key.js';
import type { ProcessorSupplier } from '../processor/processor.js';
import type { StreamRecord } from '../processor/stream-record.js';
import type { ValueTransformerSupplier } from '../processor/value-transformer.js';
import type { RecordContext } from '../topology/node.js';
import type { GlobalKTable } from './global-ktable.js';
import type {
  ForeignKey,
  ForeignKeyOfRecord,
  JoinNeedsWith,
  StreamTableJoin,
  StreamTableLeftJoin,
  TableJoin,
  TableLeftJoin,
  TableOuterJoin,
} from './joins/join-options.js';
import type { StreamStreamJoin, StreamStreamLeftJoin, StreamStreamOuterJoin } from './joins/stream-stream-options.js';
import type {
  AggregateOptions,
  AsyncCall,
  AsyncOptions,
  ExpiringOptions,
  GroupOptions,
  NamedOptions,
  NewKeyOptions,
  NewValueOptions,
  ProcessOptions,
  RepartitionOptions,
  SameKeyOptions,
  SameValueOptions,
  StoreOptions,
  SuppressOptions,
  ToOptions,
  WindowedOptions,
} from './options.js';
import type { Like, Served } from './serde-needed.js';
import type { Suppression, TimeLimit } from './suppression.js';
import type { EmitStrategy, SessionWindows, SlidingWindows, TimeWindows, UnlimitedWindows } from './windows/windows.js';

type Widened<T> = T extends string
  ? Record<never, never> extends Record<T, 1>
    ? T
    : string
  : T extends number
    ? Record<never, never> extends Record<T, 1>
      ? T
      : number
    : T extends boolean
      ? boolean
      : T;

/** The type after an operator that keeps the serde: the function's own, but `string` for the texts it happens to give. */
export type Kept<Before, After> = [Widened<After>] extends [Before] ? Widened<After> : After;

export type Predicate<K, V> = (key: K, value: V) => Awaitable<boolean>;
type Pair<K, V> = readonly [K, V];

/** A stream of records, each a fact of its own. Kafka: `KStream`. */
export interface KStream<K, V> {
  /** Records for which the predicate holds. */
  filter<V2 extends V>(predicate: (key: K, value: V) => value is V2, options?: NamedOptions): KStream<K, V2>;
  filter(predicate: Predicate<K, V>, options?: NamedOptions): KStream<K, V>;
  /** Records for which the predicate does not hold. */
  filterNot(predicate: Predicate<K, V>, options?: NamedOptions): KStream<K, V>;

  /** A new value for each record; the key stays, so nothing has to move. */
  mapValues<V2 extends Like<V> = V>(
    mapper: ((value: V, key: K) => Awaitable<V2>) & Served<V, V2>,
    options?: NamedOptions & SameValueOptions<V2>,
  ): KStream<K, Kept<V, V2>>;
  mapValues<V2>(
    mapper: (value: V, key: K) => Awaitable<NoInfer<V2>>,
    options: NamedOptions & NewValueOptions<V2>,
  ): KStream<K, V2>;

  /**
   * A new value for each record, from a function that waits for something outside: calls of different keys run side by side, so
   * that one that is slow holds up neither the others nor the partition. There is nothing like it in Kafka Streams.
   *
   * Records of one key are called, and leave, in their order; those of different keys leave as they are answered; records without key have no
   * order. A commit waits for all calls that have begun: results are in the transaction with the offsets, exactly once, while calls are
   * repeated after a crash, so they had better be idempotent. What fails or times out for the last time is a failure of its record,
   * for the processing handler. Beyond `concurrency` calls and sixteen times as many records waiting, the task waits.
   *
   * What follows may see records of different keys out of their order in time: give windows after it a grace.
   *
   * @example
   * orders.mapValuesAsync((order, _, { signal }) => withScore(order, signal), { concurrency: 32, timeout: '2s', retries: 2, value: json<Scored>() })
   * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a bound that is out of range
   */
  mapValuesAsync<V2 extends Like<V> = V>(
    mapper: ((value: V, key: K, call: AsyncCall) => Awaitable<V2>) & Served<V, V2>,
    options?: AsyncOptions & SameValueOptions<V2>,
  ): KStream<K, Kept<V, V2>>;
  mapValuesAsync<V2>(
    mapper: (value: V, key: K, call: AsyncCall) => Awaitable<NoInfer<V2>>,
    options: AsyncOptions & NewValueOptions<V2>,
  ): KStream<K, V2>;

  /** Any number of values for each record. */
  flatMapValues<V2 extends Like<V> = V>(
    mapper: ((value: V, key: K) => Awaitable<Iterable<V2>>) & Served<V, V2>,
    options?: NamedOptions & SameValueOptions<V2>,
  ): KStream<K, Kept<V, V2>>;
  flatMapValues<V2>(
    mapper: (value: V, key: K) => Awaitable<Iterable<NoInfer<V2>>>,
    options: NamedOptions & NewValueOptions<V2>,
  ): KStream<K, V2>;

  /** A new key and value for each record, as a pair `[key, value]`. Grouping afterwards moves the records. */
  map<K2 extends Like<K> = K, V2 extends Like<V> = V>(
    mapper: ((key: K, value: V) => Awaitable<Pair<K2, V2>>) & Served<K, K2, 'key'> & Served<V, V2>,
    options?: NamedOptions & SameKeyOptions<K2> & SameValueOptions<V2>,
  ): KStream<Kept<K, K2>, Kept<V, V2>>;
  map<K2 extends Like<K> = K, V2 = unknown>(
    mapper: ((key: K, value: V) => Awaitable<Pair<K2, NoInfer<V2>>>) & Served<K, K2, 'key'>,
    options: NamedOptions & SameKeyOptions<K2> & NewValueOptions<V2>,
  ): KStream<Kept<K, K2>, V2>;
  map<K2, V2 extends Like<V> = V>(
    mapper: ((key: K, value: V) => Awaitable<Pair<NoInfer<K2>, V2>>) & Served<V, V2>,
    options: NamedOptions & NewKeyOptions<K2> & SameValueOptions<V2>,
  ): KStream<K2, Kept<V, V2>>;
  map<K2, V2>(
    mapper: (key: K, value: V) => Awaitable<Pair<NoInfer<K2>, NoInfer<V2>>>,
    options: NamedOptions & NewKeyOptions<K2> & NewValueOptions<V2>,
  ): KStream<K2, V2>;

  /** Any number of `[key, value]` pairs for each record. Grouping afterwards moves the records. */
  flatMap<K2 extends Like<K> = K, V2 extends Like<V> = V>(
    mapper: ((key: K, value: V) => Awaitable<Iterable<Pair<K2, V2>>>) & Served<K, K2, 'key'> & Served<V, V2>,
    options?: NamedOptions & SameKeyOptions<K2> & SameValueOptions<V2>,
  ): KStream<Kept<K, K2>, Kept<V, V2>>;
  flatMap<K2 extends Like<K> = K, V2 = unknown>(
    mapper: ((key: K, value: V) => Awaitable<Iterable<Pair<K2, NoInfer<V2>>>>) & Served<K, K2, 'key'>,
    options: NamedOptions & SameKeyOptions<K2> & NewValueOptions<V2>,
  ): KStream<Kept<K, K2>, V2>;
  flatMap<K2, V2 extends Like<V> = V>(
    mapper: ((key: K, value: V) => Awaitable<Iterable<Pair<NoInfer<K2>, V2>>>) & Served<V, V2>,
    options: NamedOptions & NewKeyOptions<K2> & SameValueOptions<V2>,
  ): KStream<K2, Kept<V, V2>>;
  flatMap<K2, V2>(
    mapper: (key: K, value: V) => Awaitable<Iterable<Pair<NoInfer<K2>, NoInfer<V2>>>>,
    options: NamedOptions & NewKeyOptions<K2> & NewValueOptions<V2>,
  ): KStream<K2, V2>;

  /** A new key for each record. Grouping afterwards moves the records. */
  selectKey<K2 extends Like<K> = K>(
    selector: ((key: K, value: V) => Awaitable<K2>) & Served<K, K2, 'key'>,
    options?: NamedOptions & SameKeyOptions<K2>,
  ): KStream<Kept<K, K2>, V>;
  selectKey<K2>(
    selector: (key: K, value: V) => Awaitable<NoInfer<K2>>,
    options: NamedOptions & NewKeyOptions<K2>,
  ): KStream<K2, V>;

  /** Looks at each record on its way. An action that returns a promise holds the record up. */
  peek(action: (key: K, value: V) => unknown, options?: NamedOptions): KStream<K, V>;
  /** Ends the stream in an action. */
  foreach(action: (key: K, value: V) => unknown, options?: NamedOptions): void;

  /**
   * Each record with the table's row of its key, as the row is when the record is processed; records without a row are left out.
   *
   * Only the stream makes results, with its records' timestamps. Records with a null key or value are dropped. Both sides must have
   * one number of partitions; a stream whose key may have changed goes through a repartition topic first.
   */
  join<VT, VR extends Like<V> = V>(
    table: KTable<K, VT>,
    options: StreamTableJoin<K, V, VT, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KStream<K, Kept<V, VR>>;
  join<VT, VR>(
    table: KTable<K, VT>,
    options: StreamTableJoin<K, V, VT, NoInfer<VR>> & NewValueOptions<VR>,
  ): KStream<K, VR>;
  /**
   * Each record with the row of a global table that `foreignKey` names, as the row is on this member; records without a row are left
   * out. Nothing has to move, whatever the number of partitions. Records with a null value are dropped, and those whose `foreignKey`
   * is null; a null key is no hindrance.
   */
  join<KT, VT, VR extends Like<V> = V>(
    table: GlobalKTable<KT, VT>,
    options: ForeignKeyOfRecord<K, V, NoInfer<KT>> &
      StreamTableJoin<K, V, VT, VR> &
      SameValueOptions<VR> &
      Served<V, VR>,
  ): KStream<K, Kept<V, VR>>;
  join<KT, VT, VR>(
    table: GlobalKTable<KT, VT>,
    options: ForeignKeyOfRecord<K, V, NoInfer<KT>> & StreamTableJoin<K, V, VT, NoInfer<VR>> & NewValueOptions<VR>,
  ): KStream<K, VR>;
  /**
   * Each pair of records of two streams with one key whose timestamps are within the window; the pair has the later timestamp. Records
   * without key or value are dropped, and topics of both sides must have one partition count.
   *
   * @example
   * impressions.join(clicks, { within: { after: '10m' }, grace: '1m', joiner: (seen, click) => ({ ...seen, ...click }), value: json<Met>() })
   */
  join<V2, VR extends Like<V> = V>(
    other: KStream<K, V2>,
    options: StreamStreamJoin<K, V, V2, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KStream<K, Kept<V, VR>>;
  join<V2, VR>(
    other: KStream<K, V2>,
    options: StreamStreamJoin<K, V, V2, NoInfer<VR>> & NewValueOptions<VR>,
  ): KStream<K, VR>;
  /** Fits nothing: it is last, so that the compiler says of a join that fits none of the others what it is given. */
  join<O extends object>(other: O, options: JoinNeedsWith<O>): KStream<K, never>;

  /** As `join`, with null for a row that is not there; a record with a null key is joined too (KIP-962). */
  leftJoin<VT, VR extends Like<V> = V>(
    table: KTable<K, VT>,
    options: StreamTableLeftJoin<K, V, VT, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KStream<K, Kept<V, VR>>;
  leftJoin<VT, VR>(
    table: KTable<K, VT>,
    options: StreamTableLeftJoin<K, V, VT, NoInfer<VR>> & NewValueOptions<VR>,
  ): KStream<K, VR>;
  /** As `join`, with null for a row that is not there, also where `foreignKey` is null. */
  leftJoin<KT, VT, VR extends Like<V> = V>(
    table: GlobalKTable<KT, VT>,
    options: ForeignKeyOfRecord<K, V, NoInfer<KT>> &
      StreamTableLeftJoin<K, V, VT, VR> &
      SameValueOptions<VR> &
      Served<V, VR>,
  ): KStream<K, Kept<V, VR>>;
  leftJoin<KT, VT, VR>(
    table: GlobalKTable<KT, VT>,
    options: ForeignKeyOfRecord<K, V, NoInfer<KT>> & StreamTableLeftJoin<K, V, VT, NoInfer<VR>> & NewValueOptions<VR>,
  ): KStream<K, VR>;
  /** As `join`, and each record of this stream that has met nothing when its window has closed, joined with null. */
  leftJoin<V2, VR extends Like<V> = V>(
    other: KStream<K, V2>,
    options: StreamStreamLeftJoin<K, V, V2, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KStream<K, Kept<V, VR>>;
  leftJoin<V2, VR>(
    other: KStream<K, V2>,
    options: StreamStreamLeftJoin<K, V, V2, NoInfer<VR>> & NewValueOptions<VR>,
  ): KStream<K, VR>;
  /** As the last of `join`. */
  leftJoin<O extends object>(other: O, options: JoinNeedsWith<O>): KStream<K, never>;
  /** As `leftJoin`, for the records of both streams. */
  outerJoin<V2, VR extends Like<V> = V>(
    other: KStream<K, V2>,
    options: StreamStreamOuterJoin<K, V, V2, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KStream<K, Kept<V, VR>>;
  outerJoin<V2, VR>(
    other: KStream<K, V2>,
    options: StreamStreamOuterJoin<K, V, V2, NoInfer<VR>> & NewValueOptions<VR>,
  ): KStream<K, VR>;

  /** Both streams as one; records of each keep their order. */
  merge(other: KStream<K, V>, options?: NamedOptions): KStream<K, V>;
  /** Divides the stream: each record goes to the first branch whose predicate holds. The name is the branches' prefix. */
  split(options?: NamedOptions): BranchedStream<K, V>;

  /**
   * The latest value by key as a table: null deletes a row, records without key are dropped. A stream whose key may have changed goes
   * through a repartition topic first. Kept in a store if it is named, or if something after it needs that.
   */
  toTable(options?: NamedOptions & StoreOptions & ExpiringOptions): KTable<K, NonNullable<V>>;

  /**
   * Groups by the key as it is. The aggregation drops records with a null key, and those with a null value but in windows: an
   * aggregation of time windows or sessions is given the null, as in Kafka Streams.
   */
  groupByKey(options?: GroupOptions<K, NonNullable<V>>): KGroupedStream<K, V>;
  /** Groups by a new key, through a repartition topic; a null key drops the record. */
  groupBy<K2 extends Like<K> = K>(
    selector: ((key: K, value: V) => Awaitable<K2 | null>) & Served<K, K2, 'key'>,
    options?: NamedOptions & SameKeyOptions<K2> & SameValueOptions<NonNullable<V>>,
  ): KGroupedStream<Kept<K, K2>, V>;
  groupBy<K2>(
    selector: (key: K, value: V) => Awaitable<NoInfer<K2> | null>,
    options: NamedOptions & NewKeyOptions<K2> & SameValueOptions<NonNullable<V>>,
  ): KGroupedStream<K2, V>;

  /** Sends the stream through a topic of the application, so that records of one key meet. Null keys are dropped. */
  repartition(options?: RepartitionOptions<K, V>): KStream<K, V>;
  /**
   * Writes to a topic, or to the one that a function names for each record, told also where it comes from. Windowed keys go to the partition of the key alone, as in
   * Kafka Streams.
   */
  to(topic: string | ((record: StreamRecord<K, V>, context: RecordContext) => string), options?: ToOptions<K, V>): void;

  /** A step written by hand; see `Processor`. It may change keys: grouping afterwards moves the records. */
  process<K2 extends Like<K> = K, V2 extends Like<V> = V>(
    supplier: ProcessorSupplier<K, V, K2, V2> & Served<K, K2, 'key'> & Served<V, V2>,
    options?: ProcessOptions & SameKeyOptions<K2> & SameValueOptions<V2>,
  ): KStream<K2, V2>;
  process<K2, V2>(
    supplier: ProcessorSupplier<K, V, NoInfer<K2>, NoInfer<V2>>,
    options: ProcessOptions & NewKeyOptions<K2> & NewValueOptions<V2>,
  ): KStream<K2, V2>;
  /**
   * A step written by hand that keeps each record's key: nothing has to move afterwards. What it forwards are the records that it is given,
   * with other values, timestamps or headers; see `FixedKeyProcessor`.
   */
  processValues<V2 extends Like<V> = V>(
    supplier: FixedKeyProcessorSupplier<K, V, V2> & Served<V, V2>,
    options?: ProcessOptions & SameValueOptions<V2>,
  ): KStream<K, V2>;
  processValues<V2>(
    supplier: FixedKeyProcessorSupplier<K, V, NoInfer<V2>>,
    options: ProcessOptions & NewValueOptions<V2>,
  ): KStream<K, V2>;
}

/** A stream being divided. Kafka: `BranchedKStream`. */
export interface BranchedStream<K, V> {
  /** One more branch, by its name; unnamed ones are called 1, 2, … */
  branch(predicate: Predicate<K, V>, options?: NamedOptions): BranchedStream<K, V>;
  /** All branches by prefix and name, with one for the records that no other took (`0` unless named). */
  defaultBranch(options?: NamedOptions): ReadonlyMap<string, KStream<K, V>>;
  /** All branches by prefix and name; records that no branch took are dropped. */
  noDefaultBranch(): ReadonlyMap<string, KStream<K, V>>;
}

/** Records grouped by key, to be aggregated. Kafka: `KGroupedStream`. */
export interface KGroupedStream<K, V> {
  /** Number of records by key. */
  count(options?: AggregateOptions & ExpiringOptions): KTable<K, number>;
  /** Folds the values of a key; the first one is the start. A result of null deletes the row. */
  reduce(
    reducer: (aggregate: NonNullable<V>, value: NonNullable<V>) => Awaitable<V | null>,
    options?: AggregateOptions & ExpiringOptions,
  ): KTable<K, NonNullable<V>>;
  /**
   * Folds the values of a key into something else. A result of null deletes the row. The row's timestamp is the greatest of its
   * records' timestamps.
   *
   * @example
   * grouped.aggregate({ init: () => 0, add: (_, order, total) => total + order.amount, value: double(), store: 'totals' })
   */
  aggregate<A>(
    options: AggregateOptions &
      ExpiringOptions &
      NewValueOptions<A> & {
        init(): Awaitable<NoInfer<A>>;
        add(key: K, value: NonNullable<V>, aggregate: NoInfer<A>): Awaitable<NoInfer<A> | null>;
      },
  ): KTable<K, A>;

  /**
   * Begins an aggregate of several grouped streams: the type of the aggregate is that of `add`'s third argument.
   *
   * @example
   * orders.cogroup<Customer>((_, order, customer) => withOrder(customer, order))
   *   .cogroup(visits, (_, visit, customer) => withVisit(customer, visit))
   *   .aggregate({ init: newCustomer, value: json<Customer>(), store: 'customers' })
   */
  cogroup<A>(add: (key: K, value: V, aggregate: A) => Awaitable<A | null>): CogroupedKStream<K, A>;

  /**
   * Divides each key's records by time: `tumbling`, `hopping`, `sliding`, `session` or `unlimited` windows.
   *
   * @example
   * grouped.windowedBy(tumbling({ size: '5m', grace: '30s' })).count({ store: 'per-5m' })
   */
  windowedBy(windows: SlidingWindows): TimeWindowedKStream<K, NonNullable<V>>;
  windowedBy(windows: TimeWindows): TimeWindowedKStream<K, V>;
  windowedBy(windows: UnlimitedWindows): WindowedKStream<K, V>;
  windowedBy(windows: SessionWindows): SessionWindowedKStream<K, V>;
}

/**
 * Several grouped streams of one key, to be aggregated into one table: no join, no intermediate tables. Kafka: `CogroupedKStream`.
 *
 * All their topics need one partition count. Null keys and values are dropped as by the aggregations of one grouped stream.
 */
export interface CogroupedKStream<K, A> {
  /** One more grouped stream. One that is given again is added by the later function alone. */
  cogroup<V>(
    grouped: KGroupedStream<K, V>,
    add: (key: K, value: V, aggregate: A) => Awaitable<A | null>,
  ): CogroupedKStream<K, A>;
  aggregate(options: AggregateOptions & CogroupOptions<A>): KTable<K, A>;
  /** As `KGroupedStream.windowedBy`; results are given at each update. The time of each stream decides on its own late records. */
  windowedBy(windows: TimeWindows | UnlimitedWindows | SlidingWindows): TimeWindowedCogroupedKStream<K, A>;
  windowedBy(windows: SessionWindows): SessionWindowedCogroupedKStream<K, A>;
}

type CogroupOptions<A> = NewValueOptions<A> & { init(): Awaitable<NoInfer<A>> };

/** Kafka: `TimeWindowedCogroupedKStream`. */
export interface TimeWindowedCogroupedKStream<K, A> {
  aggregate(options: WindowedOptions & CogroupOptions<A>): KTable<Windowed<K>, A>;
}

/** Kafka: `SessionWindowedCogroupedKStream`. */
export interface SessionWindowedCogroupedKStream<K, A> {
  aggregate(
    options: WindowedOptions &
      CogroupOptions<A> & { merge(key: K, aggregate: NoInfer<A>, session: NoInfer<A>): Awaitable<NoInfer<A>> },
  ): KTable<Windowed<K>, A>;
}

/**
 * Records grouped by key and window. Kafka: `TimeWindowedKStream`.
 *
 * Records that come after their window is closed are dropped, and counted as late. The operator's stream time decides on that, and it
 * survives restarts. A result's timestamp is the greatest of its window's records.
 */
export interface WindowedKStream<K, V> {
  /** Number of records by key and window. */
  count(options?: WindowedOptions): KTable<Windowed<K>, number>;
  /** Folds the values of a key and window; the first one is the start. A result of null deletes the row. */
  reduce(
    reducer: (aggregate: NonNullable<V>, value: V) => Awaitable<V | null>,
    options?: WindowedOptions,
  ): KTable<Windowed<K>, NonNullable<V>>;
  /** Folds the values of a key and window into something else. A result of null deletes the row. */
  aggregate<A>(
    options: WindowedOptions &
      NewValueOptions<A> & {
        init(): Awaitable<NoInfer<A>>;
        add(key: K, value: V, aggregate: NoInfer<A>): Awaitable<NoInfer<A> | null>;
      },
  ): KTable<Windowed<K>, A>;
}

/** A {@link WindowedKStream} whose windows close. */
export interface TimeWindowedKStream<K, V> extends WindowedKStream<K, V> {
  /** When results are given: at each update (the default), or once for each window when it is closed. */
  emitStrategy(strategy: EmitStrategy): TimeWindowedKStream<K, V>;
}

/**
 * Records grouped by key and session. Kafka: `SessionWindowedKStream`.
 *
 * A record that connects sessions makes one of them: the ones before are deleted, downstream too. A result's timestamp is that of its
 * session's last record. Late records are dropped as those of windows are.
 */
export interface SessionWindowedKStream<K, V> {
  /** As for {@link TimeWindowedKStream}. */
  emitStrategy(strategy: EmitStrategy): SessionWindowedKStream<K, V>;
  /** Number of records by key and session. */
  count(options?: WindowedOptions): KTable<Windowed<K>, number>;
  /** Folds the values of a session, and those of sessions that become one. A result of null deletes the row. */
  reduce(
    reducer: (aggregate: NonNullable<V>, value: V) => Awaitable<V | null>,
    options?: WindowedOptions,
  ): KTable<Windowed<K>, NonNullable<V>>;
  /**
   * Folds the values of a session into something else: the sessions that a record connects are merged one after the other, beginning
   * with `init()`, and then the record is added. A result of null deletes the row.
   */
  aggregate<A>(
    options: WindowedOptions &
      NewValueOptions<A> & {
        init(): Awaitable<NoInfer<A>>;
        add(key: K, value: V, aggregate: NoInfer<A>): Awaitable<NoInfer<A> | null>;
        merge(key: K, aggregate: NoInfer<A>, session: NoInfer<A>): Awaitable<NoInfer<A>>;
      },
  ): KTable<Windowed<K>, A>;
}

/** A table: the latest value by key, and its updates. Kafka: `KTable`. */
export interface KTable<K, V> {
  /** Name under which the table can be queried; null if it has none. */
  readonly queryableStoreName: string | null;

  /** Rows for which the predicate holds; a row that stops matching is deleted. */
  filter(predicate: Predicate<K, V>, options?: NamedOptions & StoreOptions): KTable<K, V>;
  /** Rows for which the predicate does not hold. */
  filterNot(predicate: Predicate<K, V>, options?: NamedOptions & StoreOptions): KTable<K, V>;
  /** A new value for each row; null deletes it. */
  mapValues<V2 extends Like<V> = V>(
    mapper: ((value: V, key: K) => Awaitable<V2 | null>) & Served<V, V2>,
    options?: NamedOptions & StoreOptions & SameValueOptions<V2>,
  ): KTable<K, Kept<V, V2>>;
  mapValues<V2>(
    mapper: (value: V, key: K) => Awaitable<NoInfer<V2> | null>,
    options: NamedOptions & StoreOptions & NewValueOptions<V2>,
  ): KTable<K, V2>;

  /**
   * Each row with the other table's row whose key it names (KIP-213): an update of either makes new rows. The tables need not have one
   * number of partitions; two topics of the application lie between them. The result is eventually that of both tables as they are:
   * an answer to a row that has changed meanwhile is left out.
   */
  join<KO, VO, VR extends Like<V> = V>(
    other: KTable<KO, VO>,
    options: ForeignKey<K, V, KO> & TableJoin<K, V, VO, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KTable<K, Kept<V, VR>>;
  join<KO, VO, VR>(
    other: KTable<KO, VO>,
    options: ForeignKey<K, V, KO> & TableJoin<K, V, VO, NoInfer<VR>> & NewValueOptions<VR>,
  ): KTable<K, VR>;
  /**
   * Rows of both tables by their key, as a table: an update of either makes a new row, with the greater timestamp of the two; null from the
   * joiner deletes. Both must have one number of partitions. Late updates of a table with history (`historyRetention`) are left out.
   */
  join<VO, VR extends Like<V> = V>(
    other: KTable<K, VO>,
    options: TableJoin<K, V, VO, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KTable<K, Kept<V, VR>>;
  join<VO, VR>(other: KTable<K, VO>, options: TableJoin<K, V, VO, NoInfer<VR>> & NewValueOptions<VR>): KTable<K, VR>;
  /** As `join` by foreign key, with null where the other table has no such row, or where the row names none. */
  leftJoin<KO, VO, VR extends Like<V> = V>(
    other: KTable<KO, VO>,
    options: ForeignKey<K, V, KO> & TableLeftJoin<K, V, VO, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KTable<K, Kept<V, VR>>;
  leftJoin<KO, VO, VR>(
    other: KTable<KO, VO>,
    options: ForeignKey<K, V, KO> & TableLeftJoin<K, V, VO, NoInfer<VR>> & NewValueOptions<VR>,
  ): KTable<K, VR>;
  /** As `join`, with null for a row that the other table does not have. */
  leftJoin<VO, VR extends Like<V> = V>(
    other: KTable<K, VO>,
    options: TableLeftJoin<K, V, VO, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KTable<K, Kept<V, VR>>;
  leftJoin<VO, VR>(
    other: KTable<K, VO>,
    options: TableLeftJoin<K, V, VO, NoInfer<VR>> & NewValueOptions<VR>,
  ): KTable<K, VR>;
  /** As `join`, with null for a row that one of the tables does not have. */
  outerJoin<VO, VR extends Like<V> = V>(
    other: KTable<K, VO>,
    options: TableOuterJoin<K, V, VO, VR> & SameValueOptions<VR> & Served<V, VR>,
  ): KTable<K, Kept<V, VR>>;
  outerJoin<VO, VR>(
    other: KTable<K, VO>,
    options: TableOuterJoin<K, V, VO, NoInfer<VR>> & NewValueOptions<VR>,
  ): KTable<K, VR>;

  /**
   * A new value for each row from an object that may keep state: it is made for each task, and may ask for stores. It is also called for rows
   * that are deleted, and where its result is looked up without being kept (name a `store` to keep it). Kafka: `transformValues`.
   *
   * @example
   * prices.transformValues(() => new Convert(), { stores: ['rates'], value: double(), store: 'converted' })
   * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a supplier that gives no transformer, or one object again
   */
  transformValues<V2>(
    supplier: ValueTransformerSupplier<K, V, NoInfer<V2>>,
    options: NamedOptions & StoreOptions & Pick<ProcessOptions, 'stores'> & NewValueOptions<V2>,
  ): KTable<K, V2>;

  /** The table's updates as records with new keys, as by `selectKey` after it: grouping afterwards moves them. */
  toStream<K2 extends Like<K> = K>(
    selector: ((key: K, value: V | null) => Awaitable<K2>) & Served<K, K2, 'key'>,
    options?: NamedOptions & SameKeyOptions<K2>,
  ): KStream<Kept<K, K2>, V | null>;
  toStream<K2>(
    selector: (key: K, value: V | null) => Awaitable<NoInfer<K2>>,
    options: NamedOptions & NewKeyOptions<K2>,
  ): KStream<K2, V | null>;
  /** The table's updates as records; a deleted row is a null value. */
  toStream(options?: NamedOptions): KStream<K, V | null>;

  /**
   * Holds updates back: those of a windowed table until their window has closed, or those of any table for a time. Only the last one of
   * each key goes on.
   *
   * @example
   * grouped.windowedBy(tumbling({ size: '5m', grace: '1m' })).count().suppress(untilWindowCloses())
   */
  suppress(until: K extends Windowed<unknown> ? Suppression : TimeLimit, options?: SuppressOptions): KTable<K, V>;

  /** Groups rows by a new key, through a repartition topic: `[key, value]` for each row, or null to leave it out. */
  groupBy<K2 extends Like<K> = K, V2 extends Like<V> = V>(
    selector: ((key: K, value: V) => Awaitable<Pair<K2, V2> | null>) & Served<K, K2, 'key'> & Served<V, V2>,
    options?: NamedOptions & SameKeyOptions<K2> & SameValueOptions<V2>,
  ): KGroupedTable<Kept<K, K2>, Kept<V, V2>>;
  groupBy<K2 extends Like<K> = K, V2 = unknown>(
    selector: ((key: K, value: V) => Awaitable<Pair<K2, NoInfer<V2>> | null>) & Served<K, K2, 'key'>,
    options: NamedOptions & SameKeyOptions<K2> & NewValueOptions<V2>,
  ): KGroupedTable<Kept<K, K2>, V2>;
  groupBy<K2, V2 extends Like<V> = V>(
    selector: ((key: K, value: V) => Awaitable<Pair<NoInfer<K2>, V2> | null>) & Served<V, V2>,
    options: NamedOptions & NewKeyOptions<K2> & SameValueOptions<V2>,
  ): KGroupedTable<K2, Kept<V, V2>>;
  groupBy<K2, V2>(
    selector: (key: K, value: V) => Awaitable<Pair<NoInfer<K2>, NoInfer<V2>> | null>,
    options: NamedOptions & NewKeyOptions<K2> & NewValueOptions<V2>,
  ): KGroupedTable<K2, V2>;
}

/** Rows grouped by a new key, to be aggregated: what leaves a group is subtracted from it. Kafka: `KGroupedTable`. */
export interface KGroupedTable<K, V> {
  /** Number of rows by group. */
  count(options?: AggregateOptions): KTable<K, number>;
  reduce(
    options: AggregateOptions & {
      add(aggregate: V, value: V): Awaitable<V | null>;
      subtract(aggregate: V, value: V): Awaitable<V | null>;
    },
  ): KTable<K, V>;
  aggregate<A>(
    options: AggregateOptions &
      NewValueOptions<A> & {
        init(): Awaitable<NoInfer<A>>;
        add(key: K, value: V, aggregate: NoInfer<A>): Awaitable<NoInfer<A> | null>;
        subtract(key: K, value: V, aggregate: NoInfer<A>): Awaitable<NoInfer<A> | null>;
      },
  ): KTable<K, A>;
}
