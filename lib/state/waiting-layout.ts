/**
 * Records of a stream that wait for the rows of their time, in Kafka's bytes and order: a zero byte · 8 bytes timestamp · key ·
 * 4 bytes sequence number. Kafka: `PrefixedWindowKeySchemas.TimeFirstWindowKeySchema`.
 *
 * The store's stream time is the greatest timestamp that has waited; nothing is let go by time alone.
 */
import { type ByteKey, byteKey, bytesOfKey } from '../model/byte-key.js';
import { DeserializationError } from '../model/errors.js';
import { bytes } from '../serde/bytes-serde.js';
import { lookupsOfParts } from '../serde/lookups.js';
import type { Serde } from '../serde/serde.js';
import { INT_BYTES, intAt, packInt, packTime, TIME_BYTES, timeAt } from './packed-numbers.js';
import type { StoreLayout } from './store-layout.js';

const PREFIX = '\u0000';
const KEY_AT = PREFIX.length + TIME_BYTES;
/** Of no consequence, since nothing is let go. */
const SEGMENT_MS = 60_000;

/** A key in the buffer. */
export interface WaitingKey {
  readonly timestampMs: number;
  readonly key: ByteKey;
  readonly sequence: number;
}

export function packWaitingKey({ timestampMs, key, sequence }: WaitingKey): ByteKey {
  return `${PREFIX}${packTime(timestampMs)}${key}${packInt(sequence)}` as ByteKey;
}

/** @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED if the bytes are too few */
export function readWaitingKey(packed: ByteKey): WaitingKey {
  const end = packed.length - INT_BYTES;
  if (end < KEY_AT) {
    throw new DeserializationError(`${packed.length} bytes are no key of a record that waits for its row`, {
      details: { sizeBytes: packed.length },
    });
  }
  const key = packed.slice(KEY_AT, end) as ByteKey;
  return { timestampMs: timeAt(packed, PREFIX.length), key, sequence: intAt(packed, end) };
}

/** The whole keys as bytes, looking up what the keys inside need. */
export function waitingKeysOf(key: Serde<unknown>): Serde<Uint8Array> {
  return {
    ...bytes(),
    ...lookupsOfParts([key], (packed, start, end, visit) => {
      const of = bytesOfKey(readWaitingKey(byteKey(packed.subarray(start, end))).key);
      visit(key, of, 0, of.length);
    }),
  };
}

export const waitingLayout: StoreLayout = Object.freeze({
  segmentMs: SEGMENT_MS,
  timeOf: (packed: ByteKey) => readWaitingKey(packed).timestampMs,
  sequenceOf: (packed: ByteKey) => readWaitingKey(packed).sequence,
  firstLiveMs: () => Number.NEGATIVE_INFINITY,
});
