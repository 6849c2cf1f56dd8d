/**
 * A table whose rows end some time after they were written: what has ended is removed and handed on as deleted, so that whatever is
 * made of the table comes out right. It stands around the operator that keeps the rows.
 *
 * Rows are removed after each record of the task, `ROWS_ENDED_PER_RECORD` at most; a row that has ended and is still to be removed is not
 * shown, and is removed before its key gets another.
 */
import { type Awaitable, isPromise } from '../../model/awaitable.js';
import { NO_HEADERS } from '../../model/record-set.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { StoredEntry } from '../../state/byte-store.js';
import type { ExpiringStore } from '../../state/expiring-store.js';
import type { ToldStore } from '../../state/told-store.js';
import { ABSENT, type Change } from '../change.js';
import { ChangeForwarder } from './change-forwarder.js';
import { type RowFormat, RowStore } from './row-store.js';

/** Rows removed after one record: a jump of stream time is worked off over the records that follow. */
export const ROWS_ENDED_PER_RECORD = 64;

/** @returns the operator's processors, or the same where the table's rows do not end. Such a table is never cached. */
export function expiring<K, V, A>(
  ttlMs: number | undefined,
  node: { readonly format: RowFormat<K, A>; readonly sendOldValues: boolean },
  operator: ProcessorSupplier<K, V, K, Change<A>>,
): ProcessorSupplier<K, V, K, Change<A>> {
  return ttlMs === undefined ? operator : () => new ExpireRows(node, operator());
}

class ExpireRows<K, V, A> implements Processor<K, V, K, Change<A>> {
  private readonly node: { readonly format: RowFormat<K, A>; readonly sendOldValues: boolean };
  private readonly operator: Processor<K, V, K, Change<A>>;
  declare private rows: RowStore<K, A>;
  declare private store: ExpiringStore;
  declare private forwarder: ChangeForwarder<K, A>;

  constructor(
    node: { readonly format: RowFormat<K, A>; readonly sendOldValues: boolean },
    operator: Processor<K, V, K, Change<A>>,
  ) {
    this.node = node;
    this.operator = operator;
  }

  init(context: ProcessorContext<K, Change<A>>): Awaitable<void> {
    const engine = context as EngineContext<K, Change<A>>;
    this.rows = new RowStore(context, this.node.format);
    this.store = (this.rows.bytes as ToldStore).shared;
    this.store.removedByOperator();
    this.forwarder = new ChangeForwarder(engine, { sendOldValues: this.node.sendOldValues, cached: false });
    engine.onRecordDone(() => this.removeFrom(0));
    return this.operator.init?.(context);
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.node.format.key);
    const ended = key === null ? null : this.store.removeEnded(key);
    if (ended === null) return this.operator.process(record);
    const told = this.tell(ended);
    return isPromise(told) ? told.then(() => this.operator.process(record)) : this.operator.process(record);
  }

  private removeFrom(removed: number): Awaitable<void> {
    for (let count = removed; count < ROWS_ENDED_PER_RECORD; count += 1) {
      const ended = this.store.removeNext();
      if (ended === null) return;
      const told = this.tell(ended);
      if (isPromise(told)) return told.then(() => this.removeFrom(count + 1));
    }
  }

  private tell(ended: StoredEntry): Awaitable<void> {
    return this.forwarder.update({
      key: ended.key,
      keyCell: Cell.of(this.rows.key(ended.key)),
      newCell: ABSENT,
      oldCell: this.rows.cell(ended),
      existed: true,
      timestampMs: this.store.endOf(ended.timestampMs),
      headers: NO_HEADERS,
      sizeBytes: 0,
    });
  }
}
