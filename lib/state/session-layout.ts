/** Keys of session stores, byte for byte as Kafka's: key · 8 bytes end · 8 bytes start. Kafka: `SessionKeySchema`. */
import { type ByteKey, justAfter } from '../model/byte-key.js';
import type { KeyRange } from './byte-store.js';
import { clampTime, GREATEST_TIME_MS, packTime, TIME_BYTES, timeAt } from './packed-numbers.js';
import type { StoreLayout } from './store-layout.js';
import { compareKeys } from './timeline.js';
import { keyEnd, segmentMs } from './window-layout.js';

const SUFFIX_BYTES = TIME_BYTES + TIME_BYTES;

export interface SessionKey {
  readonly key: ByteKey;
  readonly startMs: number;
  readonly endMs: number;
}

export function packSessionKey(key: ByteKey, startMs: number, endMs: number): ByteKey {
  return `${key}${packTime(endMs)}${packTime(startMs)}` as ByteKey;
}

/** @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED if the bytes are too few */
export function readSessionKey(packed: ByteKey): SessionKey {
  const end = keyEnd(packed, SUFFIX_BYTES, 'session');
  return {
    key: packed.slice(0, end) as ByteKey,
    endMs: timeAt(packed, end),
    startMs: timeAt(packed, end + TIME_BYTES),
  };
}

/** Where the sessions of a key lie that end at a time or later; those of longer keys may lie between. */
export function sessionsOfKey(key: ByteKey, earliestEndMs: number, reverse = false): KeyRange {
  return {
    from: packSessionKey(key, 0, clampTime(earliestEndMs)),
    to: justAfter(packSessionKey(key, GREATEST_TIME_MS, GREATEST_TIME_MS)),
    reverse,
  };
}

/** How a session store's keys carry time: a session is kept by its end. */
export function sessionLayout(of: { readonly retentionMs: number; readonly inMemory: boolean }): StoreLayout {
  return {
    segmentMs: segmentMs(of.retentionMs),
    timeOf: (packed) => timeAt(packed, keyEnd(packed, SUFFIX_BYTES, 'session')),
    sequenceOf: () => 0,
    firstLiveMs: (streamTimeMs) => streamTimeMs - of.retentionMs + 1,
    ...(of.inMemory ? { compare: compareSessionsByTime } : {}),
  };
}

/** By end, then key, then the later start first: the order of Kafka's in-memory stores. */
export function compareSessionsByTime(a: ByteKey, b: ByteKey): number {
  const [left, right] = [readSessionKey(a), readSessionKey(b)];
  return left.endMs - right.endMs || compareKeys(left.key, right.key) || right.startMs - left.startMs;
}

/** By end, then start, then key: the order of Kafka's time-ordered stores on disk. */
export function compareSessionsByEnds(a: ByteKey, b: ByteKey): number {
  const [left, right] = [readSessionKey(a), readSessionKey(b)];
  return left.endMs - right.endMs || left.startMs - right.startMs || compareKeys(left.key, right.key);
}
