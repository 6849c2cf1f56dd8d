/** A stretch of event time, in milliseconds since the epoch. Kafka: `Window`. */
export interface Window {
  readonly startMs: number;
  /** Exclusive for time windows; for sessions the timestamp of their last record, inclusive. */
  readonly endMs: number;
}

/** A key in a window. Kafka: `Windowed`. */
export interface Windowed<K> {
  readonly key: K;
  readonly window: Window;
}
