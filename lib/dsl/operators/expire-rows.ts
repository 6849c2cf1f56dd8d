/**
 * A table whose rows end some time after they were written: what has ended is removed and handed on as deleted, so that whatever is
 * made of the table comes out right. It stands around the operator that keeps the rows.
 *
 * Invariants
 *   X1  the end of a row is handed on before the record that moves stream time to it is processed: what is read, joined or counted for that
 *       record is without the row
 *   X2  a record ends ROWS_ENDED_PER_RECORD rows at most, besides that of its own key: rows that have ended and are still to be removed
 *       are not shown
 *   X3  joins of tables see such a row until its end is told, so that they take back what they gave out, and nothing else
 *   X4  a row that has ended is removed before its key gets another
 */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
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

/** Rows removed at one record, before and after it: a jump of stream time is worked off over the records that follow. */
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
  /** Rows that may still be removed at the record being processed. */
  private left = ROWS_ENDED_PER_RECORD;

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
    engine.onRecord((key) => this.before(key));
    engine.onRecordDone(() => this.removeOldest());
    return this.operator.init?.(context);
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.node.format.key);
    const removed = this.removeOf(key);
    return isPromise(removed) ? removed.then(() => this.operator.process(record)) : this.operator.process(record);
  }

  /** Within one sub-topology a record is of one key: the row that it may meet is ended though many have ended before it. */
  private before(key: ByteKey | null): Awaitable<void> {
    this.left = ROWS_ENDED_PER_RECORD;
    return andThen(this.removeOldest(), () => this.removeOf(key));
  }

  private removeOf(key: ByteKey | null): Awaitable<void> {
    const ended = key === null ? null : this.store.removeEnded(key);
    if (ended !== null) return this.tell(ended);
  }

  private removeOldest(): Awaitable<void> {
    while (this.left > 0) {
      const ended = this.store.removeNext();
      if (ended === null) return;
      this.left -= 1;
      const told = this.tell(ended);
      if (isPromise(told)) return told.then(() => this.removeOldest());
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
