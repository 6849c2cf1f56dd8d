/** How each kind of windows is kept, written and closed: what a windowed operator takes from the kind besides its own steps. */
import type { ByteKey } from '../../model/byte-key.js';
import type { Windowed } from '../../model/windowed.js';
import type { Serde } from '../../serde/serde.js';
import { sessionWindowedSerde, startWindowedSerde } from '../../serde/windowed-serdes.js';
import { sessionChangelogKeys, windowStoreKeys } from '../../state/changelog-keys.js';
import { clampTime } from '../../state/packed-numbers.js';
import { compareSessionsByEnds, compareSessionsByTime } from '../../state/session-layout.js';
import { compareWindowsByTime } from '../../state/window-layout.js';
import type { FixedWindows, SessionWindows, SlidingWindows } from './windows.js';

export interface Windowing<K> {
  /** Serde of the store's whole keys. */
  readonly storeKey: Serde<Windowed<K>>;
  /** Serde of the table's keys in topics. */
  readonly tableKey: Serde<Windowed<K>>;
  /** The least retention that may be asked for, and the default; as in Kafka Streams. */
  readonly leastRetentionMs: number;
  /** How long windows wait for late records: the grace, and for sessions the gap. Kafka: the grace of `GracePeriodGraphNode`. */
  readonly waitMs: number;
  /** Whether a window may still take records of its own end. */
  readonly isEndInclusive: boolean;
  /** From the time in a window's key (its start, or a session's end) to its end, at most. */
  readonly maxSizeMs: number;
  /** Order of final results of windows that end at one time, as Kafka's time-ordered stores have it. */
  readonly compare: (a: ByteKey, b: ByteKey) => number;
}

export function fixedWindowing<K>(key: Serde<K>, windows: FixedWindows): Windowing<K> {
  const { graceMs, maxSizeMs, endOf } = windows;
  return {
    ...startKept(key, endOf),
    leastRetentionMs: clampTime(maxSizeMs + graceMs),
    waitMs: graceMs,
    isEndInclusive: false,
    maxSizeMs,
  };
}

/**
 * A record's right window may be made of windows that began up to twice the difference before it: so long they are kept. Windows of one
 * time, which Kafka Streams does not have, are kept until they are closed.
 */
export function slidingWindowing<K>(key: Serde<K>, { graceMs, timeDifferenceMs }: SlidingWindows): Windowing<K> {
  return {
    ...startKept(key, (startMs) => clampTime(startMs + timeDifferenceMs)),
    leastRetentionMs: clampTime(Math.max(2 * timeDifferenceMs, 1) + graceMs),
    waitMs: graceMs,
    isEndInclusive: true,
    maxSizeMs: timeDifferenceMs,
  };
}

export function sessionWindowing<K>(
  key: Serde<K>,
  { graceMs, inactivityGapMs }: SessionWindows,
  inMemory: boolean,
): Windowing<K> {
  return {
    storeKey: sessionChangelogKeys(key),
    tableKey: sessionWindowedSerde(key),
    leastRetentionMs: clampTime(inactivityGapMs + graceMs),
    waitMs: clampTime(inactivityGapMs + graceMs),
    isEndInclusive: true,
    maxSizeMs: 0,
    compare: inMemory ? compareSessionsByTime : compareSessionsByEnds,
  };
}

/** Windows that are kept, and written, by their starts. */
function startKept<K>(key: Serde<K>, endOf: (startMs: number) => number) {
  return {
    storeKey: windowStoreKeys(key, endOf),
    tableKey: startWindowedSerde(key, endOf),
    compare: compareWindowsByTime,
  };
}
