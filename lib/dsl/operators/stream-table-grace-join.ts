import { type Awaitable, isPromise } from '../../model/awaitable.js';
import { type ByteKey, byteKey, bytesOfKey, type PackedBytes } from '../../model/byte-key.js';
import type { Offset } from '../../model/offset.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext, RecordMetadata } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import type { TableReader, TableRow } from '../table-view.js';
import type { StreamTableJoinNode } from './stream-table-join.js';
import { type Waiting, WaitingRecords } from './waiting-records.js';

export interface StreamTableGraceJoinNode<K, V, VT, VR> extends StreamTableJoinNode<K, V, VT, VR> {
  /** Where records wait. */
  readonly store: string;
  readonly graceMs: number;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
}

/**
 * Each record with the row of its own time, when stream time has passed it by the grace (KIP-923). A record that is itself later than
 * that is joined at once. Kafka: `KStreamKTableJoinProcessor` with a buffer.
 */
export function streamTableGraceJoin<K, V, VT, VR>(
  node: StreamTableGraceJoinNode<K, V, VT, VR>,
): ProcessorSupplier<K, V, K, VR> {
  return () => new GraceJoinProcessor(node);
}

class GraceJoinProcessor<K, V, VT, VR> implements Processor<K, V, K, VR> {
  private readonly node: StreamTableGraceJoinNode<K, V, VT, VR>;
  declare private context: EngineContext<K, VR>;
  declare private rows: TableReader<K, VT>;
  declare private waiting: WaitingRecords;

  constructor(node: StreamTableGraceJoinNode<K, V, VT, VR>) {
    this.node = node;
  }

  init(context: ProcessorContext<K, VR>): Awaitable<void> {
    this.context = context as EngineContext<K, VR>;
    this.rows = this.node.view.open(context);
    this.waiting = new WaitingRecords(context, this.node.store, this.node.graceMs);
    return this.waiting.init();
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const { timestampMs, headers } = record;
    const next = encoded(record.valueCell, this.node.value);
    if (next === null) return this.context.recordDropped('null-value');
    const origin = this.context.recordMetadata() ?? null;
    const key = record.keyCell.byteKey(this.node.key);
    // A left join's record without key has no row at any time: there is nothing to wait for. Kafka Streams 4.1 fails here.
    if (key === null) return this.node.isLeft ? this.join(record, origin) : this.context.recordDropped('null-key');
    if (!this.waiting.put(key, { timestampMs, headers, origin, next })) return this.join(record, origin);
    return this.waiting.takeDue(timestampMs, (of, waited) => this.joinWaited(of, waited));
  }

  private joinWaited(key: ByteKey, { timestampMs, headers, origin, next }: Waiting): Awaitable<void> {
    const keyCell = cellOf(this.node.key, key);
    const valueCell = cellOf(this.node.value, next ?? ('' as PackedBytes));
    const from = origin === null ? null : { ...origin, offset: origin.offset as Offset };
    return this.join(new StreamRecord(keyCell, valueCell, timestampMs, headers), from);
  }

  private join(record: StreamRecord<K, V>, origin: RecordMetadata | null): Awaitable<void> {
    const { getAsOf } = this.rows;
    const row = getAsOf === undefined ? this.rows.get(record.keyCell) : getAsOf(record.keyCell, record.timestampMs);
    return isPromise(row)
      ? row.then((later) => this.forward(record, origin, later))
      : this.forward(record, origin, row);
  }

  private forward(
    record: StreamRecord<K, V>,
    origin: RecordMetadata | null,
    row: TableRow<VT> | null,
  ): Awaitable<void> {
    if (row === null && !this.node.isLeft) return;
    const joined = this.node.joiner(record.value, row === null ? null : row.cell.value, record.key);
    if (isPromise(joined)) return joined.then((later) => this.context.forwardFrom(origin, record.withValue(later)));
    return this.context.forwardFrom(origin, record.withValue(joined));
  }
}

function encoded<T>(cell: Cell<T>, serde: Serde<T>): PackedBytes | null {
  const bytes = cell.encoded(serde);
  return bytes === null || typeof bytes === 'string' ? bytes : byteKey(bytes);
}

function cellOf<T>(serde: Serde<T>, packed: PackedBytes): Cell<T> {
  const bytes = bytesOfKey(packed) as Buffer;
  return Cell.read(serde, bytes, 0, bytes.length);
}
