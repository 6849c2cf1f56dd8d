/**
 * Keys of window stores, byte for byte as Kafka's: key · 8 bytes start · 4 bytes sequence number. Kafka: `WindowKeySchema`.
 */
import { type ByteKey, justAfter } from '../model/byte-key.js';
import { DeserializationError } from '../model/errors.js';
import type { KeyRange, TimeRange } from './byte-store.js';
import { clampTime, INT_BYTES, intAt, packInt, packTime, TIME_BYTES, timeAt } from './packed-numbers.js';
import type { StoreLayout } from './store-layout.js';
import { compareKeys } from './timeline.js';

/** Kafka's least segment of windowed stores. */
const LEAST_SEGMENT_MS = 60_000;
const SUFFIX_BYTES = TIME_BYTES + INT_BYTES;
/** Sequence numbers wrap round in the key, as in Kafka. */
const GREATEST_SEQUENCE = 0x7fff_ffff;

export interface WindowKey {
  readonly key: ByteKey;
  readonly startMs: number;
  readonly sequence: number;
}

export function packWindowKey(key: ByteKey, startMs: number, sequence: number): ByteKey {
  return `${key}${packTime(startMs)}${packInt(sequence & GREATEST_SEQUENCE)}` as ByteKey;
}

/** @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED if the bytes are too few */
export function readWindowKey(packed: ByteKey): WindowKey {
  const end = keyEnd(packed, SUFFIX_BYTES, 'window');
  return {
    key: packed.slice(0, end) as ByteKey,
    startMs: timeAt(packed, end),
    sequence: intAt(packed, end + TIME_BYTES),
  };
}

/** Where the windows of a key lie that begin in a range of time (both ends inclusive, from 0); those of longer keys may lie between. */
export function windowsOfKey(key: ByteKey, { fromMs, toMs, reverse = false }: TimeRange): KeyRange {
  return {
    from: packWindowKey(key, clampTime(fromMs), 0),
    to: justAfter(packWindowKey(key, clampTime(toMs), GREATEST_SEQUENCE)),
    reverse,
  };
}

/** How a window store's keys carry time. `inMemory` chooses the order of Kafka's in-memory stores, whose time nulls move too. */
export function windowLayout(of: {
  readonly retentionMs: number;
  readonly inMemory: boolean;
  readonly retainDuplicates: boolean;
}): StoreLayout {
  return {
    segmentMs: segmentMs(of.retentionMs),
    timeOf: (packed) => timeAt(packed, keyEnd(packed, SUFFIX_BYTES, 'window')),
    sequenceOf: (packed) => intAt(packed, packed.length - INT_BYTES),
    firstLiveMs: (streamTimeMs) => streamTimeMs - of.retentionMs + 1,
    ...(of.inMemory ? { compare: compareWindowsByTime } : {}),
    ...(of.retainDuplicates && !of.inMemory ? { ignoresNulls: true } : {}),
  };
}

export function segmentMs(retentionMs: number): number {
  return Math.max(Math.floor(retentionMs / 2), LEAST_SEGMENT_MS);
}

/** Where the key proper ends. @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED if it has no room for the suffix */
export function keyEnd(packed: ByteKey, suffixBytes: number, kind: string): number {
  if (packed.length >= suffixBytes) return packed.length - suffixBytes;
  throw new DeserializationError(`${packed.length} bytes are no key of a ${kind} store`, {
    details: { sizeBytes: packed.length },
    remedy: 'The changelog was written by a store of another kind: name the store anew, or reset the application.',
  });
}

/** By start, then key, then sequence number. */
export function compareWindowsByTime(a: ByteKey, b: ByteKey): number {
  const [left, right] = [readWindowKey(a), readWindowKey(b)];
  return left.startMs - right.startMs || compareKeys(left.key, right.key) || left.sequence - right.sequence;
}
