import { type Awaitable, andThen } from '../model/awaitable.js';
import type { ByteKey, Encoded } from '../model/byte-key.js';
import type { ByteStore, StoredEntry, StoredValue } from './byte-store.js';
import { clampTime, GREATEST_TIME_MS } from './packed-numbers.js';
import type { VersionPut } from './state-store.js';
import type { StoreClock } from './store-codec.js';
import { firstOf } from './store-times.js';
import { packVersionKey, packVersionValue, readVersionValue, timeOfVersion, versionRange } from './version-layout.js';

const NOT_PUT: VersionPut = Object.freeze({ isPut: false, validToMs: null });

/** Versions of values by key, all as bytes, over a {@link ByteStore} with the layout of version-layout.ts. */
export class VersionBytes {
  private readonly bytes: ByteStore;
  private readonly historyRetentionMs: number;
  private readonly clock: StoreClock;

  constructor(bytes: ByteStore, historyRetentionMs: number, clock: StoreClock) {
    this.bytes = bytes;
    this.historyRetentionMs = historyRetentionMs;
    this.clock = clock;
  }

  /** A value of null says that there is none from then on; the time must be whole, from 0. */
  put(key: ByteKey, value: Encoded | null, timestampMs: number): Awaitable<VersionPut> {
    if (!this.bytes.put(packVersionKey(key, timestampMs), packVersionValue(value), timestampMs)) {
      this.clock.recordExpired?.();
      return NOT_PUT;
    }
    const later = this.bytes.entries(versionRange(key, timestampMs + 1, GREATEST_TIME_MS, false));
    return andThen(firstOf(later, isOf(key)), (next) => ({
      isPut: true,
      validToMs: next === null ? null : timeOfVersion(next.key),
    }));
  }

  /** The newest version with its time; null if there is none or it is a delete. */
  newest(key: ByteKey): Awaitable<StoredValue | null> {
    return andThen(this.lastUpTo(key, GREATEST_TIME_MS), present);
  }

  /** Beyond the history retention only the newest version answers, so that what is let go when makes no difference. */
  validAt(key: ByteKey, asOfMs: number): Awaitable<StoredValue | null> {
    if (asOfMs < 0) return null;
    if (asOfMs >= this.bytes.progress.streamTimeMs - this.historyRetentionMs) {
      return andThen(this.lastUpTo(key, asOfMs), present);
    }
    return andThen(this.newest(key), (newest) => (newest !== null && newest.timestampMs <= asOfMs ? newest : null));
  }

  private lastUpTo(key: ByteKey, toMs: number): Awaitable<StoredEntry | null> {
    return firstOf(this.bytes.entries(versionRange(key, 0, clampTime(toMs), true)), isOf(key));
  }
}

function present(entry: StoredEntry | null): StoredValue | null {
  const value = entry === null ? null : readVersionValue(entry.value);
  return entry === null || value === null ? null : { value, timestampMs: timeOfVersion(entry.key) };
}

/** Whether an entry of a range of `key`'s versions is one of them: versions of longer keys may lie between. */
function isOf(key: ByteKey): (entry: StoredEntry) => boolean {
  const length = packVersionKey(key, 0).length;
  return (entry) => entry.key.length === length;
}
