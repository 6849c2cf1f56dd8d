/** Aggregations of sliding windows. Kafka: `KStreamSlidingWindowAggregate`; sliding-steps.ts says which windows a record makes. */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import type { Windowed } from '../../model/windowed.js';
import type { ProcessorSupplier } from '../../processor/processor.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { StoredEntry } from '../../state/byte-store.js';
import { packWindowKey, readWindowKey, windowsOfKey } from '../../state/window-layout.js';
import type { Change } from '../change.js';
import type { SlidingWindows } from '../windows/windows.js';
import type { RowFold } from './aggregate-processor.js';
import {
  earlySlidingSteps,
  isLastOfInterest,
  type SlidingRecord,
  type SlidingRow,
  type SlidingStep,
  slidingSteps,
} from './sliding-steps.js';
import type { WindowedNode, WindowUpdate } from './window-rows.js';
import { rowTimestamp, WindowedProcessor } from './windowed-processor.js';

/** Records with a null key or a null value are dropped, as in Kafka Streams. */
export function slidingAggregate<K, V, A>(
  node: WindowedNode<K, A>,
  windows: SlidingWindows,
  fold: RowFold<K, V, A>,
): ProcessorSupplier<K, V, Windowed<K>, Change<A>> {
  return () => new SlidingAggregate(node, windows, fold);
}

class SlidingAggregate<K, V, A> extends WindowedProcessor<K, V, A> {
  private readonly differenceMs: number;
  private readonly fold: RowFold<K, V, A>;

  constructor(node: WindowedNode<K, A>, windows: SlidingWindows, fold: RowFold<K, V, A>) {
    super(node, rowTimestamp);
    this.differenceMs = windows.timeDifferenceMs;
    this.fold = fold;
  }

  protected aggregate(record: StreamRecord<K, V>, key: ByteKey): Awaitable<void> {
    if (record.valueCell.isNull) return this.context.recordDropped('null-value');
    const closeMs = this.rows.observe(record.timestampMs);
    if (record.timestampMs + 1 + this.differenceMs <= closeMs) return this.context.recordDropped('late');
    return andThen(this.stepsFor(record.timestampMs, key), (steps) => this.takeFrom(0, steps, closeMs, record, key));
  }

  private stepsFor(timestampMs: number, key: ByteKey): Awaitable<readonly SlidingStep[]> {
    const record: SlidingRecord = { timestampMs, differenceMs: this.differenceMs };
    const isEarly = timestampMs < this.differenceMs;
    const fromMs = isEarly ? 0 : timestampMs - 2 * this.differenceMs;
    const range = windowsOfKey(key, {
      fromMs: Math.max(fromMs, this.rows.firstReadableMs),
      toMs: timestampMs + 1,
      reverse: !isEarly,
    });
    const isLast = (entry: StoredEntry) => {
      const at = readWindowKey(entry.key);
      return at.key === key && !isEarly && isLastOfInterest(record, at.startMs);
    };
    return andThen(this.rows.collect(range, isLast), (entries) => {
      const rows: SlidingRow[] = [];
      for (const stored of entries) {
        const at = readWindowKey(stored.key);
        if (at.key === key) rows.push({ startMs: at.startMs, stored });
      }
      return isEarly ? earlySlidingSteps(record, rows) : slidingSteps(record, rows);
    });
  }

  private takeFrom(
    first: number,
    steps: readonly SlidingStep[],
    closeMs: number,
    record: StreamRecord<K, V>,
    key: ByteKey,
  ): Awaitable<void> {
    for (let index = first; index < steps.length; index += 1) {
      const step = steps[index] as SlidingStep;
      if (step.adds && step.startMs + this.differenceMs < closeMs) {
        this.context.recordDropped('late');
        continue;
      }
      const taken = this.take(step, record, key);
      if (isPromise(taken)) return taken.then(() => this.takeFrom(index + 1, steps, closeMs, record, key));
    }
  }

  private take(step: SlidingStep, record: StreamRecord<K, V>, key: ByteKey): Awaitable<void> {
    const from = step.from === null ? null : this.rows.decode(step.from);
    if (!step.adds) return this.write(step, record, key, { start: null, next: from });
    const start = from ?? this.fold.init?.();
    return isPromise(start)
      ? start.then((later) => this.add(step, record, key, later))
      : this.add(step, record, key, start ?? null);
  }

  private add(step: SlidingStep, record: StreamRecord<K, V>, key: ByteKey, start: A | null): Awaitable<void> {
    const next = this.fold(record, start);
    return isPromise(next)
      ? next.then((later) => this.write(step, record, key, { start, next: later }))
      : this.write(step, record, key, { start, next });
  }

  private write(
    step: SlidingStep,
    record: StreamRecord<K, V>,
    key: ByteKey,
    { start, next }: Pick<WindowUpdate<K, A>, 'start' | 'next'>,
  ): Awaitable<void> {
    const { startMs, from, before } = step;
    const recordMs = record.timestampMs;
    const rowMs = from === null ? recordMs : Math.max(recordMs, from.timestampMs);
    const storedMs = next === null ? recordMs : rowMs;
    const timestampMs = next === null ? this.rows.deleteTimeMs({ rowMs, recordMs }) : rowMs;
    const window = { startMs, endMs: startMs + this.differenceMs };
    const { keyCell, headers } = record;
    const at = packWindowKey(key, startMs, 0);
    return this.rows.update({ at, keyCell, window, before, start, next, storedMs, timestampMs, headers });
  }
}
