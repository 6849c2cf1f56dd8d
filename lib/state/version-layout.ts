/**
 * Versions in the image: one entry each under key · 8 bytes timestamp, its value behind a byte that tells a delete from an empty
 * value. The changelog has them as Kafka's does: the plain key, the plain value, and the version's time as the record's timestamp.
 */
import type { ByteKey, PackedBytes } from '../model/byte-key.js';
import { byteKey, justAfter } from '../model/byte-key.js';
import type { KeyRange, StoreWrite } from './byte-store.js';
import { clampTime, packTime, TIME_BYTES, timeAt } from './packed-numbers.js';
import type { StoreLayout } from './store-layout.js';
import { keyEnd } from './window-layout.js';

const DELETED = '\u0000' as PackedBytes;
const PRESENT = '\u0001';
/** A shorter segment frees memory sooner, a longer one costs less to keep. */
const SEGMENTS_PER_RETENTION = 8;
const LEAST_SEGMENT_MS = 2_000;

export function packVersionKey(key: ByteKey, timestampMs: number): ByteKey {
  return `${key}${packTime(timestampMs)}` as ByteKey;
}

export function timeOfVersion(packed: ByteKey): number {
  return timeAt(packed, keyEnd(packed, TIME_BYTES, 'versioned'));
}

export function packVersionValue(value: PackedBytes | Uint8Array | null): PackedBytes {
  if (value === null) return DELETED;
  return `${PRESENT}${typeof value === 'string' ? value : byteKey(value)}` as PackedBytes;
}

/** The bytes of a version's value; null for a delete. */
export function readVersionValue(stored: Uint8Array): Uint8Array | null {
  return stored[0] === PRESENT.charCodeAt(0) ? stored.subarray(1) : null;
}

/** Versions of one key with `fromMs` ≤ timestamp ≤ `toMs`; versions of longer keys may lie among them. */
export function versionRange(key: ByteKey, fromMs: number, toMs: number, reverse: boolean): KeyRange {
  return { from: packVersionKey(key, fromMs), to: justAfter(packVersionKey(key, toMs)), reverse };
}

/** How a versioned store's keys carry time. */
export function versionLayout(historyRetentionMs: number): StoreLayout {
  return {
    segmentMs: Math.max(Math.floor(historyRetentionMs / SEGMENTS_PER_RETENTION), LEAST_SEGMENT_MS),
    timeOf: timeOfVersion,
    sequenceOf: () => 0,
    firstLiveMs: (streamTimeMs) => streamTimeMs - historyRetentionMs,
    versions: {
      olderThan: (packed) => ({ from: packVersionKey(plainKey(packed), 0), to: packed }),
      areOfOneKey: (a, b) => a.length === b.length && plainKey(a) === plainKey(b),
      isDelete: (value) => value.length === 1 && value[0] === DELETED.charCodeAt(0),
      toChangelog: (write) => ({
        ...plainValue(write),
        key: plainKey(write.key),
        timestampMs: timeOfVersion(write.key),
      }),
      fromChangelog: ({ key, value, packed, timestampMs }) => ({
        key: packVersionKey(key, clampTime(timestampMs)),
        value: Buffer.from(packVersionValue(packed ?? value), 'latin1'),
        timestampMs,
      }),
    },
  };
}

function plainKey(packed: ByteKey): ByteKey {
  return packed.slice(0, keyEnd(packed, TIME_BYTES, 'versioned')) as ByteKey;
}

function plainValue({ value, packed }: StoreWrite): Pick<StoreWrite, 'value' | 'packed'> {
  if (packed === undefined) return { value: value === null ? null : readVersionValue(value) };
  if (packed === null || packed === DELETED) return { value: null, packed: null };
  const plain = packed.slice(1) as PackedBytes;
  return { packed: plain, value: Buffer.from(plain, 'latin1') };
}
