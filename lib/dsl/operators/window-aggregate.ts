/** Aggregations of windows that a time alone decides on. Kafka: `KStreamWindowAggregate`. */
import { type Awaitable, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { Window, Windowed } from '../../model/windowed.js';
import type { ProcessorSupplier } from '../../processor/processor.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { StoredValue } from '../../state/byte-store.js';
import { packWindowKey } from '../../state/window-layout.js';
import type { Change } from '../change.js';
import type { FixedWindows } from '../windows/windows.js';
import type { RowFold } from './aggregate-processor.js';
import type { WindowedNode, WindowUpdate } from './window-rows.js';
import { rowTimestamp, WindowedProcessor } from './windowed-processor.js';

/** A null value is folded as any other; only a null key is dropped, as in Kafka Streams. */
export function windowAggregate<K, V, A>(
  node: WindowedNode<K, A>,
  windows: FixedWindows,
  fold: RowFold<K, V, A>,
): ProcessorSupplier<K, V, Windowed<K>, Change<A>> {
  return () => new WindowAggregate(node, windows, fold);
}

class WindowAggregate<K, V, A> extends WindowedProcessor<K, V, A> {
  private readonly windows: FixedWindows;
  private readonly fold: RowFold<K, V, A>;

  constructor(node: WindowedNode<K, A>, windows: FixedWindows, fold: RowFold<K, V, A>) {
    super(node, rowTimestamp);
    this.windows = windows;
    this.fold = fold;
  }

  protected aggregate(record: StreamRecord<K, V>, key: ByteKey): Awaitable<void> {
    const closeMs = this.rows.observe(record.timestampMs);
    return this.updateFrom(0, this.windows.windowsFor(record.timestampMs), closeMs, record, key);
  }

  private updateFrom(
    first: number,
    windows: readonly Window[],
    closeMs: number,
    record: StreamRecord<K, V>,
    key: ByteKey,
  ): Awaitable<void> {
    for (let index = first; index < windows.length; index += 1) {
      const window = windows[index] as Window;
      if (window.endMs <= closeMs) {
        this.context.recordDropped('late');
        continue;
      }
      const updated = this.update(window, record, key);
      if (isPromise(updated)) return updated.then(() => this.updateFrom(index + 1, windows, closeMs, record, key));
    }
  }

  private update(window: Window, record: StreamRecord<K, V>, key: ByteKey): Awaitable<void> {
    const at = packWindowKey(key, window.startMs, 0);
    const stored = this.rows.readable(at, window.startMs);
    return isPromise(stored)
      ? stored.then((later) => this.foldInto(at, window, record, later))
      : this.foldInto(at, window, record, stored);
  }

  private foldInto(
    at: ByteKey,
    window: Window,
    record: StreamRecord<K, V>,
    before: StoredValue | null,
  ): Awaitable<void> {
    const start = before === null ? this.fold.init?.() : this.rows.decode(before);
    return isPromise(start)
      ? start.then((later) => this.foldFrom(at, window, record, before, later))
      : this.foldFrom(at, window, record, before, start ?? null);
  }

  private foldFrom(
    at: ByteKey,
    window: Window,
    record: StreamRecord<K, V>,
    before: StoredValue | null,
    start: A | null,
  ): Awaitable<void> {
    const next = this.fold(record, start);
    return isPromise(next)
      ? next.then((later) => this.write(at, window, record, { before, start, next: later }))
      : this.write(at, window, record, { before, start, next });
  }

  private write(
    at: ByteKey,
    window: Window,
    record: StreamRecord<K, V>,
    { before, start, next }: Pick<WindowUpdate<K, A>, 'before' | 'start' | 'next'>,
  ): Awaitable<void> {
    const recordMs = record.timestampMs;
    const rowMs = before === null ? recordMs : Math.max(recordMs, before.timestampMs);
    const { keyCell, headers } = record;
    // A delete's changelog record has the timestamp of the record that caused it, as in Kafka Streams.
    const storedMs = next === null ? recordMs : rowMs;
    const timestampMs = next === null ? this.rows.deleteTimeMs({ rowMs, recordMs }) : rowMs;
    return this.rows.update({ at, keyCell, window, before, start, next, storedMs, timestampMs, headers });
  }
}
