/** Steps of a table that may keep their result in a store, or not. Kafka: `KTableFilter`, `KTableMapValues`. */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { StoredValue } from '../../state/byte-store.js';
import { ABSENT, type Change, likeChange } from '../change.js';
import type { Predicate } from '../streams.js';
import { ChangeForwarder, type ForwarderOptions } from './change-forwarder.js';
import type { RowFormat, RowPut, RowStore } from './row-store.js';
import { openRows } from './versioned-row-store.js';

/** The row that a step makes of a row; only called for rows that are there, unless the step says that it takes others. */
export type RowStep<K, V, V2> = (key: K, row: Cell<V | null>) => Awaitable<Cell<V2 | null>>;

export interface TableStepNode<K, V> extends ForwarderOptions {
  /** Where the result is kept; null if it is not. */
  readonly format: RowFormat<K, V> | null;
  /** Whether an update of nothing to nothing is kept back where old values are known (a filter's, unless its table has a history). */
  readonly skipAbsent: boolean;
}

export function filterStep<K, V>(predicate: Predicate<K, V>, wanted: boolean): RowStep<K, V, V> {
  return (key, row) =>
    andThen(predicate(key, row.value as V), (holds) => (Boolean(holds) === wanted ? row : ABSENT)) as Awaitable<
      Cell<V | null>
    >;
}

export function mapValuesStep<K, V, V2>(mapper: (value: V, key: K) => Awaitable<V2 | null>): RowStep<K, V, V2> {
  return (key, row) => andThen(mapper(row.value as V, key), (value) => Cell.of<V2 | null>(value ?? null));
}

export function tableStep<K, V, V2>(
  node: TableStepNode<K, V2>,
  step: RowStep<K, V, V2>,
  { takesAbsent = false }: { readonly takesAbsent?: boolean } = {},
): ProcessorSupplier<K, Change<V>, K, Change<V2>> {
  const { format } = node;
  const applied: RowStep<K, V, V2> = takesAbsent
    ? step
    : (key, row) => (row.isNull ? (ABSENT as Cell<V2 | null>) : step(key, row));
  return format === null ? () => new PassingStep(node, applied) : () => new KeptStep(node, format, applied);
}

class PassingStep<K, V, V2> implements Processor<K, Change<V>, K, Change<V2>> {
  private readonly node: TableStepNode<K, V2>;
  private readonly step: RowStep<K, V, V2>;
  declare private context: ProcessorContext<K, Change<V2>>;

  constructor(node: TableStepNode<K, V2>, step: RowStep<K, V, V2>) {
    this.node = node;
    this.step = step;
  }

  init(context: ProcessorContext<K, Change<V2>>): void {
    this.context = context;
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    const { sendOldValues, skipAbsent } = this.node;
    const change = record.value;
    return andThen(this.step(record.key, change.newCell), (newCell) =>
      andThen(sendOldValues ? this.step(record.key, change.oldCell) : ABSENT, (oldCell) => {
        if (skipAbsent && sendOldValues && newCell.isNull && oldCell.isNull) return;
        return this.context.forward(record.withValue(likeChange(change, newCell, oldCell as Cell<V2 | null>)));
      }),
    );
  }
}

class KeptStep<K, V, V2> implements Processor<K, Change<V>, K, Change<V2>> {
  private readonly node: TableStepNode<K, V2>;
  private readonly format: RowFormat<K, V2>;
  private readonly step: RowStep<K, V, V2>;
  declare private rows: RowStore<K, V2>;
  declare private forwarder: ChangeForwarder<K, V2>;
  declare private context: EngineContext<K, Change<V2>>;

  constructor(node: TableStepNode<K, V2>, format: RowFormat<K, V2>, step: RowStep<K, V, V2>) {
    this.node = node;
    this.format = format;
    this.step = step;
  }

  init(context: ProcessorContext<K, Change<V2>>): void {
    this.context = context as EngineContext<K, Change<V2>>;
    this.rows = openRows(context, this.format);
    this.forwarder = new ChangeForwarder(this.context, this.node);
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.format.key);
    if (key === null) return this.context.recordDropped('null-key');
    const row = this.step(record.key, record.value.newCell);
    return isPromise(row) ? row.then((later) => this.keep(record, key, later)) : this.keep(record, key, row);
  }

  private keep(record: StreamRecord<K, unknown>, key: ByteKey, row: Cell<V2 | null>): Awaitable<void> {
    const stored = this.forwarder.wantsOld ? this.rows.get(key) : null;
    return isPromise(stored)
      ? stored.then((later) => this.write(record, key, row, later))
      : this.write(record, key, row, stored);
  }

  private write(
    record: StreamRecord<K, unknown>,
    key: ByteKey,
    newCell: Cell<V2 | null>,
    stored: StoredValue | null,
  ): Awaitable<void> {
    const { sendOldValues, skipAbsent } = this.node;
    if (skipAbsent && sendOldValues && newCell.isNull && stored === null) return;
    const bytes = newCell.bytes(this.format.value as RowFormat<K, V2 | null>['value']);
    const put = this.rows.putRow(key, bytes, record.timestampMs);
    const row = { key, newCell, stored, sizeBytes: bytes === null ? 0 : bytes.length };
    return isPromise(put) ? put.then((later) => this.forward(record, row, later)) : this.forward(record, row, put);
  }

  private forward(
    record: StreamRecord<K, unknown>,
    { key, newCell, stored, sizeBytes }: WrittenStep<V2>,
    put: RowPut,
  ): Awaitable<void> {
    return this.forwarder.update({
      key,
      keyCell: record.keyCell,
      newCell,
      oldCell: this.rows.cell(stored),
      existed: stored !== null,
      put,
      timestampMs: record.timestampMs,
      headers: record.headers,
      sizeBytes,
    });
  }
}

interface WrittenStep<V> {
  readonly key: ByteKey;
  readonly newCell: Cell<V | null>;
  readonly stored: StoredValue | null;
  readonly sizeBytes: number;
}
