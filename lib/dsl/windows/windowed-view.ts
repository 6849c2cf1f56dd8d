import { andThen } from '../../model/awaitable.js';
import type { Windowed } from '../../model/windowed.js';
import type { RowFormat } from '../operators/row-store.js';
import { RowStore } from '../operators/row-store.js';
import type { TableView } from '../table-view.js';

export interface WindowedViewOptions {
  /** How long the store keeps its rows, by its own stream time. */
  readonly retentionMs: number;
  /** Whether the windows are sessions: they are kept by their ends, which are also their rows' timestamps. */
  readonly isSession: boolean;
}

/**
 * A windowed table's rows, by their keys. What is past the retention is not there, whether or not its bytes still are.
 * Kafka: `KStreamWindowAggregateValueGetter`, `KTableSessionWindowValueGetter`.
 */
export function windowedView<K, V>(
  format: RowFormat<Windowed<K>, V>,
  { retentionMs, isSession }: WindowedViewOptions,
): TableView<Windowed<K>, V> {
  return {
    stores: [format.store],
    open(context) {
      const rows = new RowStore(context, format);
      return {
        get(key) {
          const at = key.byteKey(format.key);
          if (at === null) return null;
          const { startMs, endMs } = key.value.window;
          const isLetGo = (isSession ? endMs : startMs) <= rows.bytes.progress.streamTimeMs - retentionMs;
          if (isLetGo) return null;
          return andThen(rows.get(at), (stored) => {
            if (stored === null) return null;
            return { cell: rows.cell(stored), timestampMs: isSession ? endMs : stored.timestampMs };
          });
        },
      };
    },
  };
}
