/** One side of a join of two tables. Kafka: `KTableKTableInnerJoin`, `…LeftJoin`, `…RightJoin`, `…OuterJoin`. */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import { ABSENT, type Change, likeChange } from '../change.js';
import type { TableReader, TableRow, TableView } from '../table-view.js';

/** The result for one key from the values of both sides; only called where there is one. */
export type PairJoiner<K, V, VO, VR> = (value: V | null, other: VO | null, key: K) => Awaitable<VR | null>;

export interface TableSide<K, V, VO, VR> {
  /** The other side's table. */
  readonly other: TableView<K, VO>;
  /** Whether a result needs a row on this side. */
  readonly needsOwn: boolean;
  /** Whether a result needs a row on the other side. */
  readonly needsOther: boolean;
  readonly joiner: PairJoiner<K, V, VO, VR>;
  readonly sendOldValues: boolean;
  /** Whether this side's table keeps its history: its late versions change no result (KIP-914). */
  readonly isVersioned: boolean;
}

/** Each update of this side as an update of the result, with the greater timestamp of both rows. */
export function tableTableJoin<K, V, VO, VR>(
  side: TableSide<K, V, VO, VR>,
): ProcessorSupplier<K, Change<V>, K, Change<VR>> {
  return () => new TableSideProcessor(side);
}

class TableSideProcessor<K, V, VO, VR> implements Processor<K, Change<V>, K, Change<VR>> {
  private readonly side: TableSide<K, V, VO, VR>;
  declare private context: EngineContext<K, Change<VR>>;
  declare private others: TableReader<K, VO>;

  constructor(side: TableSide<K, V, VO, VR>) {
    this.side = side;
  }

  init(context: ProcessorContext<K, Change<VR>>): void {
    this.context = context as EngineContext<K, Change<VR>>;
    this.others = this.side.other.open(context, 'told');
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    if (record.keyCell.isNull) return this.context.recordDropped('null-key');
    if (this.side.isVersioned && record.value.isLatest === false) return this.context.recordDropped('superseded');
    const other = this.others.get(record.keyCell);
    return isPromise(other) ? other.then((later) => this.join(record, later)) : this.join(record, other);
  }

  private join(record: StreamRecord<K, Change<V>>, other: TableRow<VO> | null): Awaitable<void> {
    const { newCell, oldCell } = record.value;
    if (other === null && (this.side.needsOther || (newCell.isNull && oldCell.isNull))) return;
    const now = this.result(record, newCell, other);
    const was = this.side.sendOldValues ? this.result(record, oldCell, other) : ABSENT;
    if (isPromise(now) || isPromise(was)) {
      return Promise.all([now, was]).then(([later, before]) => this.forward(record, other, later, before));
    }
    return this.forward(record, other, now, was);
  }

  private result(
    record: StreamRecord<K, Change<V>>,
    own: Cell<V | null>,
    other: TableRow<VO> | null,
  ): Awaitable<Cell<VR | null>> {
    if (own.isNull && (this.side.needsOwn || other === null)) return ABSENT;
    const joined = this.side.joiner(own.value, other === null ? null : other.cell.value, record.key);
    return andThen(joined, asCell);
  }

  private forward(
    record: StreamRecord<K, Change<V>>,
    other: TableRow<VO> | null,
    now: Cell<VR | null>,
    was: Cell<VR | null>,
  ): Awaitable<void> {
    const timestampMs = other === null ? record.timestampMs : Math.max(record.timestampMs, other.timestampMs);
    const change = likeChange(record.value, now, was);
    return this.context.forward(record.withValue(change).withTimestamp(timestampMs));
  }
}

function asCell<V>(value: V | null | undefined): Cell<V | null> {
  return Cell.of(value ?? null);
}

/** The joined table, row by row, where it is not kept. Kafka: the value getters of the joins. */
export function joinedView<K, V, VO, VR>(
  mine: TableView<K, V>,
  side: Pick<TableSide<K, V, VO, VR>, 'other' | 'needsOwn' | 'needsOther' | 'joiner'>,
): TableView<K, VR> {
  const { other, needsOwn, needsOther, joiner } = side;
  return {
    stores: [...new Set([...mine.stores, ...other.stores])],
    open(context, reads) {
      const rows = mine.open(context, reads);
      const others = other.open(context, reads);
      const joined = (key: Cell<K>, own: TableRow<V> | null, its: TableRow<VO> | null) => {
        if ((own === null && (needsOwn || its === null)) || (its === null && needsOther)) return null;
        const value = joiner(own === null ? null : own.cell.value, its === null ? null : its.cell.value, key.value);
        const timestampMs = Math.max(own?.timestampMs ?? 0, its?.timestampMs ?? 0);
        return andThen(andThen(value, asCell), (cell) => (cell.isNull ? null : { cell, timestampMs }));
      };
      return {
        get: (key) => andThen(rows.get(key), (own) => andThen(others.get(key), (its) => joined(key, own, its))),
      };
    },
  };
}
