/**
 * What the engine has to know of keys that carry a time: windows, sessions, versions. A store without a layout is plain keys.
 *
 * Time moves by writes alone: the stream time of a store is the greatest time of a key that was written to it, deletes and writes
 * that came too late included. So whoever folds the same writes comes to the same time and lets the same entries go, with
 * no tombstone in the log: restore, standby and query trim as the task does.
 */
import type { ByteKey } from '../model/byte-key.js';
import type { KeyRange, StoreWrite } from './byte-store.js';
import { furthest, type StoreProgress } from './store-progress.js';

export interface StoreLayout {
  /** Entries are let go by whole segments of time, so that nothing is looked for. */
  readonly segmentMs: number;
  /** The time that decides how long an entry is kept. @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED for no such key */
  timeOf(key: ByteKey): number;
  /** The least time that may still be written or read at this stream time (inclusive). */
  firstLiveMs(streamTimeMs: number): number;
  /** The number that tells duplicates apart; 0 where there are none. */
  sequenceOf(key: ByteKey): number;
  /** Order of entries within one segment; absent: that of their keys. */
  readonly compare?: (a: ByteKey, b: ByteKey) => number;
  /**
   * Whether a write of null goes to the changelog alone: with its number it is an entry of its own, which is not there, and it does
   * not move time. Kafka's window stores with duplicates in RocksDB.
   */
  readonly ignoresNulls?: boolean;
  /** Present where entries are versions of one key, of which the newest outlives the retention. */
  readonly versions?: VersionLayout;
}

/** How versions lie in image and changelog. */
export interface VersionLayout {
  /** All older versions of a version's key; entries of other keys may lie among them. */
  olderThan(key: ByteKey): KeyRange;
  /** Whether two entries are versions of one key. */
  areOfOneKey(a: ByteKey, b: ByteKey): boolean;
  /** Whether a version says that from its time on there is no value. */
  isDelete(value: Uint8Array): boolean;
  /** The changelog record of a version: its plain key, with the version's time as timestamp. */
  toChangelog(write: StoreWrite): StoreWrite;
  fromChangelog(record: StoreWrite): StoreWrite;
}

/** The progress of a store to which this key is written. */
export function progressWith(layout: StoreLayout, before: StoreProgress, key: ByteKey): StoreProgress {
  const streamTimeMs = layout.timeOf(key);
  const sequence = layout.sequenceOf(key);
  if (streamTimeMs <= before.streamTimeMs && sequence <= before.sequence) return before;
  return furthest(before, { streamTimeMs, sequence });
}

/** Whether a key's time is past the retention. */
export function isExpired(layout: StoreLayout, { streamTimeMs }: StoreProgress, key: ByteKey): boolean {
  return layout.timeOf(key) < layout.firstLiveMs(streamTimeMs);
}
