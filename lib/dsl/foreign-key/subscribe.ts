/**
 * The left side of a foreign-key join: tells the right side which rows ask for which foreign key. Kafka: `SubscriptionSendProcessorSupplier`.
 *
 * Invariant
 *   J1  a row that comes in the same record of the task as the end of the one before it is told as an update of that one: the answer to a
 *       delete is dropped once the key has another row, which then has to take back what the deleted one gave out. So it is with
 *       rows that end by themselves, when their key gets another
 */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import { parseTaskId } from '../../model/task-id.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import type { Change } from '../change.js';
import { INSTRUCTION, type Instruction, type Subscription } from './subscription.js';
import { hashOf } from './value-hash.js';

export interface SubscribeNode<K, V, KO> {
  readonly foreignKey: (value: V, key: K) => Awaitable<KO | null>;
  readonly keySerde: Serde<K>;
  readonly foreignKeySerde: Serde<KO>;
  readonly valueSerde: Serde<V>;
  /** Whether a row without right value is a result. */
  readonly isLeft: boolean;
  /** Whether the left table keeps its history: its late versions change no subscription (KIP-914). */
  readonly isVersioned: boolean;
}

/** One thing to tell the right side. */
type Message<KO> = readonly [foreignKey: Cell<KO | null>, instruction: Instruction];

export function subscribe<K, V, KO>(
  node: SubscribeNode<K, V, KO>,
): ProcessorSupplier<K, Change<V>, KO | null, Subscription<K>> {
  return () => new SubscribeProcessor(node);
}

class SubscribeProcessor<K, V, KO> implements Processor<K, Change<V>, KO | null, Subscription<K>> {
  private readonly node: SubscribeNode<K, V, KO>;
  declare private context: EngineContext<KO | null, Subscription<K>>;
  declare private partition: number;
  /** J1: foreign keys of the rows that were deleted in the record that the task is at, by their keys. */
  private readonly deleted = new Map<ByteKey | null, Cell<KO | null>>();

  constructor(node: SubscribeNode<K, V, KO>) {
    this.node = node;
  }

  init(context: ProcessorContext<KO | null, Subscription<K>>): void {
    this.context = context as EngineContext<KO | null, Subscription<K>>;
    this.partition = parseTaskId(context.taskId).partition;
    this.context.onRecordDone(() => this.deleted.clear());
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    const { newCell, oldCell, isLatest = true } = record.value;
    if (this.node.isVersioned && !isLatest) return this.context.recordDropped('superseded');
    if (newCell.isNull && oldCell.isNull) return;
    const was = this.foreignKeyOf(record, oldCell);
    const now = this.foreignKeyOf(record, newCell);
    if (!isPromise(was) && !isPromise(now)) return this.tell(record, this.before(record, was), now);
    return Promise.all([was, now]).then(([before, after]) => this.tell(record, this.before(record, before), after));
  }

  /** The foreign key that this row takes the place of, J1. */
  private before(record: StreamRecord<K, Change<V>>, was: Cell<KO | null>): Cell<KO | null> {
    const { newCell, oldCell } = record.value;
    if (this.node.isLeft) return was; // the answer to every row of a left join takes its place
    if (newCell.isNull) this.deleted.set(record.keyCell.byteKey(this.node.keySerde), was);
    if (!oldCell.isNull || this.deleted.size === 0) return was;
    return this.deleted.get(record.keyCell.byteKey(this.node.keySerde)) ?? was;
  }

  private foreignKeyOf(record: StreamRecord<K, Change<V>>, row: Cell<V | null>): Awaitable<Cell<KO | null>> {
    if (row.isNull) return Cell.of(null);
    return andThen(this.node.foreignKey(row.value as V, record.key), (key) => Cell.of(key ?? null));
  }

  private tell(record: StreamRecord<K, Change<V>>, was: Cell<KO | null>, now: Cell<KO | null>): Awaitable<void> {
    const messages = this.node.isLeft ? this.ofLeftJoin(was, now) : this.ofInnerJoin(was, now);
    const [first, second] = messages;
    if (first === undefined) return this.context.recordDropped('null-key');
    const { newCell } = record.value;
    const hash = newCell.isNull ? null : hashOf(this.node.valueSerde, newCell as Cell<V>);
    const sent = this.send(record, hash, first);
    return second === undefined ? sent : andThen(sent, () => this.send(record, hash, second));
  }

  /** Kafka: `leftJoinInstructions`. */
  private ofLeftJoin(was: Cell<KO | null>, now: Cell<KO | null>): readonly Message<KO>[] {
    const { deleteKeyNoPropagate, propagateNullIfNoForeignValue } = INSTRUCTION;
    const note: Message<KO> = [now, propagateNullIfNoForeignValue];
    return was.isNull || this.areSame(was, now) ? [note] : [[was, deleteKeyNoPropagate], note];
  }

  /** Kafka: `defaultJoinInstructions`. None: neither row has a foreign key. */
  private ofInnerJoin(was: Cell<KO | null>, now: Cell<KO | null>): readonly Message<KO>[] {
    const { deleteKeyNoPropagate, deleteKeyAndPropagate, propagateNullIfNoForeignValue, propagateOnlyIfForeignValue } =
      INSTRUCTION;
    if (was.isNull) return now.isNull ? [] : [[now, propagateOnlyIfForeignValue]];
    if (now.isNull) return [[was, deleteKeyAndPropagate]];
    // A row that met nothing under the same key had no result to take back.
    if (this.areSame(was, now)) return [[now, propagateOnlyIfForeignValue]];
    return [
      [was, deleteKeyNoPropagate],
      [now, propagateNullIfNoForeignValue],
    ];
  }

  private areSame(was: Cell<KO | null>, now: Cell<KO | null>): boolean {
    const serde = this.node.foreignKeySerde as Serde<KO | null>;
    return was.byteKey(serde) === now.byteKey(serde);
  }

  private send(
    record: StreamRecord<K, Change<V>>,
    hash: Uint8Array | null,
    [foreignKey, instruction]: Message<KO>,
  ): Awaitable<void> {
    const subscription = { instruction, hash, primaryKey: record.keyCell, primaryPartition: this.partition };
    const cell = Cell.of<Subscription<K>>(subscription);
    return this.context.forward(new StreamRecord(foreignKey, cell, record.timestampMs, record.headers));
  }
}
