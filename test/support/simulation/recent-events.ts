/** Events that say how late they are, and a processor that counts them in windows of their own time. */
import {
  long,
  type ProcessorContext,
  type StoreSpec,
  StreamRecord,
  string,
  type WindowStore,
  windowStore,
} from '../../../lib/index.js';

export const EVENT = 'happened';
export const WINDOW_MS = 10_000;
/** Two of Kafka's least segments: within a run, segments go, and what is left of them is hidden. */
export const RETENTION_MS = 120_000;

/** An event's value; `lateMs` before the timestamp of its record is when it happened. */
export function eventValue(lateMs: number): string {
  return lateMs === 0 ? EVENT : `${EVENT} ${lateMs}`;
}

/** Start of the window in which an event happened. */
export function windowOf(timestampMs: number, value: string): number {
  const lateMs = Number(value.split(' ')[1] ?? 0);
  return Math.floor((timestampMs - lateMs) / WINDOW_MS) * WINDOW_MS;
}

export function recentStore(): StoreSpec {
  return windowStore({ name: 'recent', key: string(), value: long(), retention: RETENTION_MS, windowSize: WINDOW_MS });
}

/** Forwards how many events of the key there were in the window, as far as the store still takes them. */
export function countingRecent() {
  return () => {
    let context: ProcessorContext<string, number>;
    let store: WindowStore<string, number>;
    return {
      init(given: ProcessorContext<string, number>) {
        context = given;
        store = given.getStateStore('recent');
      },
      async process({ key, value, timestampMs, headers }: StreamRecord<string, string>) {
        const startMs = windowOf(timestampMs, value);
        await store.put(key, ((await store.fetch(key, startMs)) ?? 0) + 1, startMs);
        const count = (await store.fetch(key, startMs)) ?? 0;
        await context.forward(StreamRecord.of({ key, value: count, timestampMs, headers }));
      },
    };
  };
}
