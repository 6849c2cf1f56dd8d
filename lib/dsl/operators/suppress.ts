/** Holds updates of a table back. Kafka: `KTableSuppressProcessor`. */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import { asBuffer, type ByteKey, byteKey, bytesOfKey, type PackedBytes } from '../../model/byte-key.js';
import { SuppressionFullError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import type { Windowed } from '../../model/windowed.js';
import type { CommittedTime, EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import type { HeldUpdate } from '../../state/held-update.js';
import { ABSENT, type Change } from '../change.js';
import type { Suppression } from '../suppression.js';
import type { RowFormat } from './row-store.js';
import { SuppressBuffer } from './suppress-buffer.js';

export interface SuppressNode<K, V> {
  readonly name: string;
  readonly format: RowFormat<K, V>;
  readonly suppression: Suppression;
  /** How long an update stays: the time limit, or how long a window may still change after its end. */
  readonly waitMs: number;
}

export function suppress<K, V>(node: SuppressNode<K, V>): ProcessorSupplier<K, Change<V>, K, Change<V>> {
  return () => new Suppress(node);
}

class Suppress<K, V> implements Processor<K, Change<V>, K, Change<V>> {
  private readonly node: SuppressNode<K, V>;
  private readonly value: Serde<V | null>;
  /** Whether a row that is deleted need not be mentioned: nobody has seen its window's result. */
  private readonly isFinal: boolean;
  declare private context: EngineContext<K, Change<V>>;
  declare private buffer: SuppressBuffer;
  declare private time: CommittedTime;

  constructor(node: SuppressNode<K, V>) {
    this.node = node;
    this.value = node.format.value as Serde<V | null>;
    this.isFinal = node.suppression.until === 'windowCloses';
  }

  init(context: ProcessorContext<K, Change<V>>): Awaitable<void> {
    const { store } = this.node.format;
    this.context = context as EngineContext<K, Change<V>>;
    this.buffer = new SuppressBuffer(context, store);
    this.time = this.context.committedTime(`millrace.suppress.${store}`);
    return this.buffer.init();
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.node.format.key);
    if (key === null) return this.context.recordDropped('null-key');
    this.time.raise(record.timestampMs);
    const { newCell, oldCell } = record.value;
    const put = this.buffer.put(key, {
      bufferTimeMs: this.isFinal ? (record.key as Windowed<unknown>).window.endMs : record.timestampMs,
      timestampMs: record.timestampMs,
      origin: this.context.recordMetadata() ?? null,
      headers: record.headers,
      old: this.packed(oldCell),
      next: this.packed(newCell),
    });
    return isPromise(put) ? put.then(() => this.release(record)) : this.release(record);
  }

  /** Gives out what is due, and what the buffer has no room for. Ends because each step takes one key away. */
  private release(record: StreamRecord<K, unknown>): Awaitable<void> {
    while (this.isDue() || this.isOver()) {
      if (!this.isDue() && this.node.suppression.whenFull === 'shutDown') throw this.full();
      const released = this.releaseFirst(record);
      if (isPromise(released)) return released.then(() => this.release(record));
    }
  }

  private isDue(): boolean {
    return this.buffer.firstMs <= this.time.ms - this.node.waitMs;
  }

  private isOver(): boolean {
    const { maxRecords, maxBytes } = this.node.suppression;
    return this.buffer.size > maxRecords || this.buffer.sizeBytes > maxBytes;
  }

  private releaseFirst({ timestampMs }: StreamRecord<K, unknown>): Awaitable<void> {
    return andThen(this.buffer.peek(), (first) => {
      if (first === null) return;
      return andThen(this.forward(first.key, first.update), () => this.buffer.removeFirst(first.update, timestampMs));
    });
  }

  /** As the record that brought the update: with its timestamp, headers and origin. */
  private forward(key: ByteKey, { next, old, timestampMs, headers, origin }: HeldUpdate): Awaitable<void> {
    if (next === null && this.isFinal) return;
    const change = Cell.of<Change<V>>({ newCell: this.cell(next), oldCell: this.cell(old) });
    const keyCell = Cell.read(this.node.format.key, asBuffer(bytesOfKey(key)), 0, key.length);
    const record = new StreamRecord(keyCell, change, timestampMs, headers);
    return this.context.forwardFrom(origin === null ? null : { ...origin, offset: origin.offset as Offset }, record);
  }

  private packed(cell: Cell<V | null>): PackedBytes | null {
    const encoded = cell.encoded(this.value);
    return encoded === null || typeof encoded === 'string' ? encoded : byteKey(encoded);
  }

  private cell(packed: PackedBytes | null): Cell<V | null> {
    return packed === null ? ABSENT : Cell.read(this.value, asBuffer(bytesOfKey(packed)), 0, packed.length);
  }

  private full(): SuppressionFullError {
    const { size: records, sizeBytes } = this.buffer;
    const { maxRecords, maxBytes } = this.node.suppression;
    return new SuppressionFullError(
      `${this.node.name} holds ${records} of ${maxRecords} records and ${sizeBytes} of ${maxBytes} bytes`,
      { details: { node: this.node.name, records, maxRecords, sizeBytes, maxBytes } },
    );
  }
}
