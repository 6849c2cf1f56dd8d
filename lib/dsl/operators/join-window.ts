/** What one stream of a join has brought lately, each record for itself. Kafka: `KStreamJoinWindow` and its store. */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import { asBuffer, type ByteKey } from '../../model/byte-key.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { ByteStore, StoredEntry } from '../../state/byte-store.js';
import type { StateStore } from '../../state/state-store.js';
import { collected } from '../../state/store-times.js';
import { packWindowKey, readWindowKey, windowsOfKey } from '../../state/window-layout.js';
import type { RowFormat } from './row-store.js';

/** Names and formats of a window's store, and how long it keeps a record. */
export interface JoinWindowFormat<K, V> extends RowFormat<K, V> {
  readonly retentionMs: number;
}

/** A record that was found in a window. */
export interface WindowMatch<V> {
  readonly value: Cell<V>;
  readonly timestampMs: number;
}

const NO_MATCHES: readonly never[] = Object.freeze([]);

/** A window, read and written by key bytes. */
export class JoinWindow<K, V> {
  private readonly format: JoinWindowFormat<K, V>;
  private readonly bytes: ByteStore;

  constructor(context: ProcessorContext<never, never>, format: JoinWindowFormat<K, V>) {
    this.format = format;
    this.bytes = context.getStateStore<StateStore & { readonly bytes: ByteStore }>(format.store).bytes;
  }

  /** @returns false if the record came too late to be kept */
  put(key: ByteKey, { valueCell, timestampMs }: StreamRecord<unknown, V>): boolean {
    const at = packWindowKey(key, timestampMs, this.bytes.nextSequence());
    return this.bytes.put(at, valueCell.encoded(this.format.value), timestampMs);
  }

  /** Records of a key with `fromMs` ≤ timestamp ≤ `toMs`, in the order of time and then of arrival. */
  matches(key: ByteKey, fromMs: number, toMs: number): Awaitable<readonly WindowMatch<V>[]> {
    const firstMs = Math.max(fromMs, this.bytes.progress.streamTimeMs - this.format.retentionMs + 1);
    if (toMs < firstMs) return NO_MATCHES;
    return andThen(collected(this.bytes.entries(windowsOfKey(key, { fromMs: firstMs, toMs }))), (entries) =>
      entries.length === 0 ? NO_MATCHES : this.read(key, entries),
    );
  }

  /** Keys that are longer than `key` may lie among the entries. */
  private read(key: ByteKey, entries: readonly StoredEntry[]): readonly WindowMatch<V>[] {
    const matches: WindowMatch<V>[] = [];
    for (const entry of entries) {
      const { key: found, startMs: timestampMs } = readWindowKey(entry.key);
      if (found !== key) continue;
      const bytes = asBuffer(entry.value);
      matches.push({ value: Cell.read(this.format.value, bytes, 0, bytes.length), timestampMs });
    }
    return matches;
  }
}

/** Hands each record to the join, and keeps it for those that come later: a record does not meet itself. */
export function joinWindow<K, V>(format: JoinWindowFormat<K, V>): ProcessorSupplier<K, V, K, V> {
  return () => new WindowedStream(format);
}

class WindowedStream<K, V> implements Processor<K, V, K, V> {
  private readonly format: JoinWindowFormat<K, V>;
  declare private context: EngineContext<K, V>;
  declare private window: JoinWindow<K, V>;

  constructor(format: JoinWindowFormat<K, V>) {
    this.format = format;
  }

  init(context: ProcessorContext<K, V>): void {
    this.context = context as EngineContext<K, V>;
    this.window = new JoinWindow(context, this.format);
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const joined = this.context.forward(record);
    return isPromise(joined) ? joined.then(() => this.keep(record)) : this.keep(record);
  }

  private keep(record: StreamRecord<K, V>): void {
    const key = record.keyCell.byteKey(this.format.key);
    if (key !== null && !this.window.put(key, record)) this.context.recordDropped('expired');
  }
}
