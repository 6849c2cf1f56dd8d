/** What all aggregations share: a row for each key, folded, kept and forwarded as a change. */
import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { ByteKey, Encoded } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { StoredValue } from '../../state/byte-store.js';
import { ABSENT, type Change } from '../change.js';
import { ChangeForwarder, type ForwarderOptions } from './change-forwarder.js';
import type { RowFormat, RowPut, RowStore } from './row-store.js';
import { openRows } from './versioned-row-store.js';

export interface AggregateNode<K, A> extends ForwarderOptions {
  readonly format: RowFormat<K, A>;
}

/** The next aggregate of a record's key from the one so far (null: none); null deletes. */
export interface RowFold<K, V, A> {
  (record: StreamRecord<K, V>, aggregate: A | null): Awaitable<A | null>;
  /**
   * What a key without row begins with. Without a cache Kafka Streams' aggregations of streams give it downstream as the old value of a
   * row that was not there; reductions, and aggregations of tables, do not.
   */
  readonly init?: () => Awaitable<A>;
}

interface WrittenRow<A> {
  readonly key: ByteKey;
  readonly start: A | null;
  readonly next: A | null;
  readonly bytes: Encoded | null;
  readonly timestampMs: number;
}

export class AggregateProcessor<K, V, A> implements Processor<K, V, K, Change<A>> {
  private readonly node: AggregateNode<K, A>;
  private readonly fold: RowFold<K, V, A>;
  declare private context: EngineContext<K, Change<A>>;
  declare private rows: RowStore<K, A>;
  declare private forwarder: ChangeForwarder<K, A>;

  constructor(node: AggregateNode<K, A>, fold: RowFold<K, V, A>) {
    this.node = node;
    this.fold = fold;
  }

  init(context: ProcessorContext<K, Change<A>>): void {
    this.context = context as EngineContext<K, Change<A>>;
    this.rows = openRows(context, this.node.format);
    this.forwarder = new ChangeForwarder(this.context, this.node);
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.node.format.key);
    if (key === null) return this.context.recordDropped('null-key');
    if (record.valueCell.isNull) return this.context.recordDropped('null-value');
    const stored = this.rows.get(key);
    return isPromise(stored)
      ? stored.then((later) => this.update(record, key, later))
      : this.update(record, key, stored);
  }

  /** No closure on the synchronous path: this runs once a record. */
  private update(record: StreamRecord<K, V>, key: ByteKey, stored: StoredValue | null): Awaitable<void> {
    const start = stored === null ? this.fold.init?.() : this.rows.decode(stored);
    return isPromise(start)
      ? start.then((later) => this.foldFrom(record, key, stored, later))
      : this.foldFrom(record, key, stored, start ?? null);
  }

  private foldFrom(
    record: StreamRecord<K, V>,
    key: ByteKey,
    stored: StoredValue | null,
    start: A | null,
  ): Awaitable<void> {
    const next = this.fold(record, start);
    return isPromise(next)
      ? next.then((later) => this.write(record, key, stored, start, later))
      : this.write(record, key, stored, start, next);
  }

  private write(
    record: StreamRecord<K, V>,
    key: ByteKey,
    stored: StoredValue | null,
    start: A | null,
    next: A | null,
  ): Awaitable<void> {
    const timestampMs = stored === null ? record.timestampMs : Math.max(record.timestampMs, stored.timestampMs);
    const bytes = this.rows.encoded(next);
    const put = this.rows.putRow(key, bytes, timestampMs, record.timestampMs);
    const row = { key, start, next, bytes, timestampMs };
    return isPromise(put)
      ? put.then((later) => this.forward(record, row, stored, later))
      : this.forward(record, row, stored, put);
  }

  private forward(
    record: StreamRecord<K, V>,
    { key, start, next, bytes, timestampMs }: WrittenRow<A>,
    stored: StoredValue | null,
    put: RowPut,
  ): Awaitable<void> {
    return this.forwarder.update({
      key,
      keyCell: record.keyCell,
      newCell: this.rows.written(next, bytes),
      oldCell: this.node.sendOldValues ? oldCell(this.rows, stored, start) : ABSENT,
      existed: stored !== null,
      put,
      timestampMs:
        bytes === null
          ? this.forwarder.deleteTimeMs({ rowMs: timestampMs, recordMs: record.timestampMs })
          : timestampMs,
      headers: record.headers,
      sizeBytes: bytes === null ? 0 : bytes.length,
    });
  }
}

/** What a row was, or what it began with where the aggregation says so. */
export function oldCell<A>(
  rows: { cell(stored: StoredValue | null): Cell<A | null> },
  stored: StoredValue | null,
  start: A | null,
): Cell<A | null> {
  return stored === null && start !== null ? Cell.of<A | null>(start) : rows.cell(stored);
}
