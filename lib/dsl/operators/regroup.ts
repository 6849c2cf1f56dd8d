import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import { ABSENT, type Change } from '../change.js';

/** Updates by a new key: what a row leaves and what it enters, as one update if both are one group. Kafka: `KTableRepartitionMap`. */
export function regroup<K, V, K2, V2>(
  selector: (key: K, value: V) => Awaitable<readonly [K2, V2] | null>,
  keySerde: Serde<K2>,
  isVersioned: boolean,
): ProcessorSupplier<K, Change<V>, K2, Change<V2>> {
  return () => new Regroup(selector, keySerde, isVersioned);
}

class Regroup<K, V, K2, V2> implements Processor<K, Change<V>, K2, Change<V2>> {
  private readonly selector: (key: K, value: V) => Awaitable<readonly [K2, V2] | null>;
  private readonly keySerde: Serde<K2>;
  /** Of a table with history only its newest rows are grouped. */
  private readonly isVersioned: boolean;
  declare private context: ProcessorContext<K2, Change<V2>>;

  constructor(
    selector: (key: K, value: V) => Awaitable<readonly [K2, V2] | null>,
    keySerde: Serde<K2>,
    isVersioned: boolean,
  ) {
    this.selector = selector;
    this.keySerde = keySerde;
    this.isVersioned = isVersioned;
  }

  init(context: ProcessorContext<K2, Change<V2>>): void {
    this.context = context;
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    const { newCell, oldCell, isLatest = true } = record.value;
    if (this.isVersioned && !isLatest) return;
    const entered = this.select(record, newCell);
    const left = this.select(record, oldCell);
    if (!isPromise(entered) && !isPromise(left)) return this.send(record, left, entered);
    return Promise.all([left, entered]).then(([was, now]) => this.send(record, was, now));
  }

  private select(record: StreamRecord<K, unknown>, row: Cell<V | null>): Awaitable<Selected<K2, V2> | null> {
    if (row.isNull) return null;
    return andThen(this.selector(record.key, row.value as V), selected);
  }

  private send(
    record: StreamRecord<K, unknown>,
    left: Selected<K2, V2> | null,
    entered: Selected<K2, V2> | null,
  ): Awaitable<void> {
    const { keySerde } = this;
    if (left !== null && entered !== null && left.key.byteKey(keySerde) === entered.key.byteKey(keySerde)) {
      return this.forward(record, entered.key, { newCell: entered.value, oldCell: left.value });
    }
    const leaving =
      left === null ? undefined : this.forward(record, left.key, { newCell: ABSENT, oldCell: left.value });
    return andThen(leaving, () => {
      if (entered !== null) return this.forward(record, entered.key, { newCell: entered.value, oldCell: ABSENT });
    });
  }

  private forward(record: StreamRecord<K, unknown>, key: Cell<K2>, change: Change<V2>): Awaitable<void> {
    return this.context.forward(new StreamRecord(key, Cell.of(change), record.timestampMs, record.headers));
  }
}

interface Selected<K, V> {
  readonly key: Cell<K>;
  readonly value: Cell<V | null>;
}

function selected<K, V>(pair: readonly [K, V] | null | undefined): Selected<K, V> | null {
  if (pair === null || pair === undefined) return null;
  const key = Cell.of(pair[0]);
  const value = Cell.of<V | null>(pair[1]);
  return key.isNull || value.isNull ? null : { key, value };
}
