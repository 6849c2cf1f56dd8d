/** Aggregations of streams. Kafka: `KStreamAggregate`, `KStreamReduce`. */
import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { StoredValue } from '../../state/byte-store.js';
import type { Change } from '../change.js';
import { ChangeForwarder, type ForwarderOptions } from './change-forwarder.js';
import { type RowFormat, RowStore } from './row-store.js';

/** The next aggregate of a key from its record and the aggregate so far (null: none); null deletes. */
export type Fold<K, V, A> = (record: StreamRecord<K, V>, aggregate: A | null) => Awaitable<A | null>;

export interface AggregateNode<K, A> extends ForwarderOptions {
  readonly format: RowFormat<K, A>;
}

/** Counting looks at neither key nor value: their bytes are enough. */
export const countFold: Fold<unknown, unknown, number> = (_record, count) => (count ?? 0) + 1;

export function reduceFold<V>(reducer: (aggregate: V, value: V) => Awaitable<V | null>): Fold<unknown, V, V> {
  return (record, aggregate) => (aggregate === null ? record.value : reducer(aggregate, record.value));
}

export function aggregateFold<K, V, A>(
  init: () => Awaitable<A>,
  add: (key: K, value: V, aggregate: A) => Awaitable<A | null>,
): Fold<K, V, A> {
  return (record, aggregate) => {
    if (aggregate !== null) return add(record.key, record.value, aggregate);
    const start = init();
    if (isPromise(start)) return start.then((later) => add(record.key, record.value, later));
    return add(record.key, record.value, start);
  };
}

export function streamAggregate<K, V, A>(
  node: AggregateNode<K, A>,
  fold: Fold<K, V, A>,
): ProcessorSupplier<K, V, K, Change<A>> {
  return () => new StreamAggregate(node, fold);
}

class StreamAggregate<K, V, A> implements Processor<K, V, K, Change<A>> {
  private readonly node: AggregateNode<K, A>;
  private readonly fold: Fold<K, V, A>;
  declare private context: EngineContext<K, Change<A>>;
  declare private rows: RowStore<K, A>;
  declare private forwarder: ChangeForwarder<K, A>;

  constructor(node: AggregateNode<K, A>, fold: Fold<K, V, A>) {
    this.node = node;
    this.fold = fold;
  }

  init(context: ProcessorContext<K, Change<A>>): void {
    this.context = context as EngineContext<K, Change<A>>;
    this.rows = new RowStore(context, this.node.format);
    this.forwarder = new ChangeForwarder(this.context, this.node);
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.node.format.key);
    if (key === null) return this.context.recordDropped('null-key');
    if (record.valueCell.isNull) return this.context.recordDropped('null-value');
    const stored = this.rows.get(key);
    return isPromise(stored) ? stored.then((later) => this.add(record, key, later)) : this.add(record, key, stored);
  }

  private add(record: StreamRecord<K, V>, key: ByteKey, stored: StoredValue | null): Awaitable<void> {
    const next = this.fold(record, stored === null ? null : this.rows.decode(stored));
    return isPromise(next)
      ? next.then((later) => this.write(record, key, stored, later))
      : this.write(record, key, stored, next);
  }

  private write(record: StreamRecord<K, V>, key: ByteKey, stored: StoredValue | null, next: A | null): Awaitable<void> {
    const timestampMs = stored === null ? record.timestampMs : Math.max(record.timestampMs, stored.timestampMs);
    const bytes = this.rows.put(key, next, timestampMs);
    return this.forwarder.update({
      key,
      keyCell: record.keyCell,
      newCell: Cell.of<A | null>(next),
      // Kafka Streams gives the initial value here where there was no row, which its tables downstream then subtract though
      // nobody had added it; we say that there was none.
      oldCell: this.rows.cell(stored),
      existed: stored !== null,
      timestampMs,
      headers: record.headers,
      sizeBytes: bytes === null ? 0 : bytes.length,
    });
  }
}
