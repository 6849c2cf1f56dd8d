/**
 * Events that say how late they are, an extractor that makes the time at which they happened that of their record, and a processor that
 * counts them in windows and tells those that are far behind its stream time.
 */
import {
  long,
  type ProcessorContext,
  type StoreSpec,
  StreamRecord,
  string,
  type TimestampExtractor,
  type WindowStore,
  windowStore,
} from '../../../lib/index.js';

export const EVENT = 'happened';
export const WINDOW_MS = 10_000;
/** Two of Kafka's least segments: within a run, segments go, and what is left of them is hidden. */
export const RETENTION_MS = 120_000;
const FAR_BEHIND_MS = 60_000;

/** An event's value; `lateMs` before the timestamp in the log is when it happened. */
export function eventValue(lateMs: number): string {
  return lateMs === 0 ? EVENT : `${EVENT} ${lateMs}`;
}

/** When an event happened. @param loggedMs the timestamp in the log */
export function happenedMs(loggedMs: number, value: string): number {
  return loggedMs - Number(value.split(' ')[1] ?? 0);
}

/** Events have the time at which they happened. */
export const eventTime: TimestampExtractor = ({ timestampMs, value }) =>
  typeof value === 'string' ? happenedMs(timestampMs, value) : timestampMs;

export function windowStartOf(eventMs: number): number {
  return Math.floor(eventMs / WINDOW_MS) * WINDOW_MS;
}

/** The number that is told of an event: its place in its window, 0 if the store keeps that no more; negative far behind the stream time. */
export function toldOf(placeInWindow: number, eventMs: number, streamTimeMs: number): number {
  return streamTimeMs - eventMs > FAR_BEHIND_MS ? -placeInWindow : placeInWindow;
}

export function recentStore(): StoreSpec {
  return windowStore({ name: 'recent', key: string(), value: long(), retention: RETENTION_MS, windowSize: WINDOW_MS });
}

/** Forwards what is told of each event. */
export function countingRecent() {
  return () => {
    let context: ProcessorContext<string, number>;
    let store: WindowStore<string, number>;
    return {
      init(given: ProcessorContext<string, number>) {
        context = given;
        store = given.getStateStore('recent');
      },
      async process({ key, timestampMs, headers }: StreamRecord<string, string>) {
        const startMs = windowStartOf(timestampMs);
        await store.put(key, ((await store.fetch(key, startMs)) ?? 0) + 1, startMs);
        const count = (await store.fetch(key, startMs)) ?? 0;
        const told = toldOf(count, timestampMs, context.currentStreamTimeMs());
        await context.forward(StreamRecord.of({ key, value: told, timestampMs, headers }));
      },
    };
  };
}
