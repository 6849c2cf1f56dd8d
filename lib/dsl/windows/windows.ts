/**
 * What an aggregation may be windowed by. Each kind says which windows a time falls in; operators do no arithmetic of their own.
 *
 * All times are milliseconds since the epoch and never below 0. A window is closed, and takes no more records, when the operator's
 * stream time (the greatest timestamp that it has seen) has passed its end by the grace.
 */
import type { Window } from '../../model/windowed.js';

/** Windows that a time alone decides on: not what other records there are. Kafka: `Windows`. */
export interface FixedWindows {
  /** How long after its end a window still takes records. */
  readonly graceMs: number;
  /** Length of the longest window. */
  readonly maxSizeMs: number;
  /** All windows that contain the time, by their starts; starts are inclusive and ends exclusive. */
  windowsFor(timestampMs: number): readonly Window[];
  /** The end (exclusive) of the window that begins at `startMs`: stores and topics keep starts alone. */
  endOf(startMs: number): number;
}

/** Windows of a fixed place in time. Kafka: `TimeWindows`. */
export interface TimeWindows extends FixedWindows {
  readonly kind: 'time';
}

/** Windows without end: they never close. Kafka: `UnlimitedWindows`. */
export interface UnlimitedWindows extends FixedWindows {
  readonly kind: 'unlimited';
}

/** A window for each set of records no further apart than the difference; both ends inclusive. Kafka: `SlidingWindows`. */
export interface SlidingWindows {
  readonly kind: 'sliding';
  readonly graceMs: number;
  readonly timeDifferenceMs: number;
}

/** Records with pauses no longer than the gap between them; a session ends at its last record. Kafka: `SessionWindows`. */
export interface SessionWindows {
  readonly kind: 'session';
  readonly graceMs: number;
  readonly inactivityGapMs: number;
}

/**
 * When a windowed aggregation gives results: at each update, or once for each window when it is closed (KIP-825).
 *
 * Final results of one record come in order of time. Unlike Kafka Streams, none is lost where stream time jumps past the retention,
 * none waits for the next emission a second later, and a session that is still to be given out is not written over. What the store's
 * retention covers alone is merged with a late record, as there: with a retention longer than gap and grace a session that was given out
 * may be merged again, and given out a second time as part of a longer one.
 */
export type EmitStrategy = 'onWindowUpdate' | 'onWindowClose';
