/** The right side of a foreign-key join: notes subscriptions, and answers them. */
import { type Awaitable, forEachInOrder, isPromise } from '../../model/awaitable.js';
import { type ByteKey, bytesOfKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import type { StoredEntry } from '../../state/byte-store.js';
import { ABSENT, type Change } from '../change.js';
import type { RowFormat } from '../operators/row-store.js';
import { RowStore } from '../operators/row-store.js';
import type { TableReader, TableRow, TableView } from '../table-view.js';
import { combinedKey, primaryKeyIn, subscriptionsOf } from './combined-key.js';
import { INSTRUCTION, type Subscription, type SubscriptionResponse } from './subscription.js';

/** The store of subscriptions, and the serdes of the keys in its keys. */
export interface SubscriptionStore<K, KO> {
  readonly format: RowFormat<Uint8Array, Subscription<K>>;
  readonly foreignKey: Serde<KO>;
  readonly primaryKey: Serde<K>;
}

/** Notes a subscription or forgets it, and hands it on. Kafka: `SubscriptionReceiveProcessorSupplier`. */
export function receiveSubscriptions<K, KO>(
  node: SubscriptionStore<K, KO>,
): ProcessorSupplier<KO | null, Subscription<K>, KO | null, Subscription<K>> {
  return () => {
    let context: EngineContext<KO | null, Subscription<K>>;
    let rows: RowStore<Uint8Array, Subscription<K>>;
    return {
      init(given) {
        context = given as EngineContext<KO | null, Subscription<K>>;
        rows = new RowStore(given, node.format);
      },
      process(record) {
        const { instruction, primaryKey } = record.value;
        const foreignKey = record.keyCell.byteKey(node.foreignKey as Serde<KO | null>);
        if (foreignKey !== null) {
          const key = combinedKey(foreignKey, primaryKey.byteKey(node.primaryKey) ?? ('' as ByteKey));
          const isDelete =
            instruction === INSTRUCTION.deleteKeyAndPropagate || instruction === INSTRUCTION.deleteKeyNoPropagate;
          rows.bytes.put(key, isDelete ? null : record.valueCell.bytes(node.format.value), record.timestampMs);
        } else if (instruction !== INSTRUCTION.propagateNullIfNoForeignValue) return context.recordDropped('null-key');
        return context.forward(record);
      },
    };
  };
}

/** Answers a subscription with the right table's row as it is now. Kafka: `SubscriptionJoinProcessorSupplier`. */
export function answerSubscriptions<K, KO, VO>(
  view: TableView<KO, VO>,
): ProcessorSupplier<KO | null, Subscription<K>, K, SubscriptionResponse<VO>> {
  return () => new AnswerProcessor(view);
}

class AnswerProcessor<K, KO, VO> implements Processor<KO | null, Subscription<K>, K, SubscriptionResponse<VO>> {
  private readonly view: TableView<KO, VO>;
  declare private context: ProcessorContext<K, SubscriptionResponse<VO>>;
  declare private rows: TableReader<KO, VO>;

  constructor(view: TableView<KO, VO>) {
    this.view = view;
  }

  init(context: ProcessorContext<K, SubscriptionResponse<VO>>): void {
    this.context = context;
    this.rows = this.view.open(context);
  }

  process(record: StreamRecord<KO | null, Subscription<K>>): Awaitable<void> {
    const row = this.rows.get(record.keyCell as Cell<KO>);
    return isPromise(row) ? row.then((later) => this.answer(record, later)) : this.answer(record, row);
  }

  private answer(record: StreamRecord<KO | null, Subscription<K>>, row: TableRow<VO> | null): Awaitable<void> {
    const { instruction } = record.value;
    const timestampMs = row === null ? record.timestampMs : Math.max(record.timestampMs, row.timestampMs);
    switch (instruction) {
      case INSTRUCTION.deleteKeyNoPropagate:
        return;
      case INSTRUCTION.deleteKeyAndPropagate:
        return this.context.forward(responseTo<K, VO>(record, ABSENT, timestampMs));
      case INSTRUCTION.propagateOnlyIfForeignValue:
        return row === null ? undefined : this.context.forward(responseTo(record, row.cell, timestampMs));
      case INSTRUCTION.propagateNullIfNoForeignValue:
        return this.context.forward(responseTo(record, row === null ? ABSENT : row.cell, timestampMs));
    }
  }
}

function responseTo<K, VO>(
  { value: { primaryKey, hash, primaryPartition }, headers }: StreamRecord<unknown, Subscription<K>>,
  foreignValue: Cell<VO | null>,
  timestampMs: number,
): StreamRecord<K, SubscriptionResponse<VO>> {
  const response = Cell.of<SubscriptionResponse<VO>>({ hash, foreignValue, primaryPartition });
  return new StreamRecord(primaryKey, response, timestampMs, headers);
}

/** Each update of the right table to all who asked for its key, in order of their keys' bytes. Kafka: `ForeignTableJoinProcessorSupplier`. */
export function tellSubscribers<K, KO, VO>(
  node: SubscriptionStore<K, KO> & { readonly isVersioned: boolean },
): ProcessorSupplier<KO, Change<VO>, K, SubscriptionResponse<VO>> {
  return () => new TellProcessor(node);
}

class TellProcessor<K, KO, VO> implements Processor<KO, Change<VO>, K, SubscriptionResponse<VO>> {
  private readonly node: SubscriptionStore<K, KO> & { readonly isVersioned: boolean };
  declare private context: EngineContext<K, SubscriptionResponse<VO>>;
  declare private rows: RowStore<Uint8Array, Subscription<K>>;

  constructor(node: SubscriptionStore<K, KO> & { readonly isVersioned: boolean }) {
    this.node = node;
  }

  init(context: ProcessorContext<K, SubscriptionResponse<VO>>): void {
    this.context = context as EngineContext<K, SubscriptionResponse<VO>>;
    this.rows = new RowStore(context, this.node.format);
  }

  process(record: StreamRecord<KO, Change<VO>>): Awaitable<void> {
    const foreignKey = record.keyCell.byteKey(this.node.foreignKey);
    if (foreignKey === null) return this.context.recordDropped('null-key');
    if (this.node.isVersioned && record.value.isLatest === false) return this.context.recordDropped('superseded');
    const subscriptions = this.rows.bytes.entries(subscriptionsOf(foreignKey));
    if (Symbol.asyncIterator in subscriptions) return this.tellEach(record, subscriptions);
    return forEachInOrder(subscriptions, (subscription) => this.tell(record, subscription));
  }

  private async tellEach(
    record: StreamRecord<KO, Change<VO>>,
    subscriptions: AsyncIterable<StoredEntry>,
  ): Promise<void> {
    for await (const subscription of subscriptions) await this.tell(record, subscription);
  }

  private tell(record: StreamRecord<KO, Change<VO>>, subscription: StoredEntry): Awaitable<void> {
    const { hash, primaryPartition } = this.rows.decode(subscription);
    const primaryKey = bytesOfKey(primaryKeyIn(subscription.key)) as Buffer;
    const key = Cell.read(this.node.primaryKey, primaryKey, 0, primaryKey.length);
    const foreignValue = record.value.newCell;
    const response = Cell.of<SubscriptionResponse<VO>>({ hash, foreignValue, primaryPartition });
    return this.context.forward(new StreamRecord(key, response, record.timestampMs, record.headers));
  }
}
