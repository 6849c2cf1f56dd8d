/**
 * A versioned store as user code sees it, over a {@link ByteStore} with the layout of version-layout.ts.
 * Kafka: `VersionedKeyValueStore` (KIP-889).
 */
import { type Awaitable, andThen } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore, StoredEntry } from './byte-store.js';
import { clampTime, GREATEST_TIME_MS } from './packed-numbers.js';
import type { VersionedKeyValueStore, VersionedRecord, VersionPut } from './state-store.js';
import { plainValues, type StoreClock, StoreCodec } from './store-codec.js';
import { expectTime, firstOf } from './store-times.js';
import { packVersionKey, packVersionValue, readVersionValue, timeOfVersion, versionRange } from './version-layout.js';

export interface VersionedStoreSettings<K, V> {
  readonly name: string;
  readonly keySerde: Serde<K>;
  readonly valueSerde: Serde<V>;
  readonly historyRetentionMs: number;
}

/** Opens a versioned store; the changelog record of a version has the version's timestamp. */
export function openVersionedStore<K, V>(
  bytes: ByteStore,
  settings: VersionedStoreSettings<K, V>,
  clock: StoreClock,
): VersionedKeyValueStore<K, V> {
  return new TypedVersionedStore(bytes, settings, clock);
}

const NOT_PUT: VersionPut = Object.freeze({ isPut: false, validToMs: null });

class TypedVersionedStore<K, V> implements VersionedKeyValueStore<K, V> {
  readonly name: string;
  private readonly bytes: ByteStore;
  private readonly settings: VersionedStoreSettings<K, V>;
  private readonly clock: StoreClock;
  private readonly codec: StoreCodec<K, V>;

  constructor(bytes: ByteStore, settings: VersionedStoreSettings<K, V>, clock: StoreClock) {
    this.name = settings.name;
    this.bytes = bytes;
    this.settings = settings;
    this.clock = clock;
    this.codec = new StoreCodec(settings.name, settings.keySerde, plainValues(settings.valueSerde, clock));
  }

  put(key: K, value: V | null, timestampMs: number): Awaitable<VersionPut> {
    return this.write(this.codec.bytesOf(key), value, timestampMs);
  }

  delete(key: K, timestampMs: number): Awaitable<VersionedRecord<V> | null> {
    const packed = this.codec.bytesOf(key);
    return andThen(this.validAt(packed, timestampMs), (before) =>
      andThen(this.write(packed, null, timestampMs), ({ isPut }) => (isPut ? before : null)),
    );
  }

  get(key: K, asOfMs?: number): Awaitable<VersionedRecord<V> | null> {
    const packed = this.codec.bytesOf(key);
    return asOfMs === undefined ? this.newest(packed) : this.validAt(packed, asOfMs);
  }

  private write(key: ByteKey, value: V | null, timestampMs: number): Awaitable<VersionPut> {
    expectTime(this.name, 'timestampMs', timestampMs);
    const { value: stored } = this.codec.stored(value);
    if (!this.bytes.put(packVersionKey(key, timestampMs), packVersionValue(stored), timestampMs)) {
      this.clock.recordExpired?.();
      return NOT_PUT;
    }
    const later = this.bytes.entries(versionRange(key, timestampMs + 1, GREATEST_TIME_MS, false));
    return andThen(firstOf(later, isOf(key)), (next) => ({
      isPut: true,
      validToMs: next === null ? null : timeOfVersion(next.key),
    }));
  }

  private newest(key: ByteKey): Awaitable<VersionedRecord<V> | null> {
    return andThen(this.lastUpTo(key, GREATEST_TIME_MS), (entry) => this.record(entry));
  }

  /** Beyond the history retention only the newest version answers, so that what is let go when makes no difference. */
  private validAt(key: ByteKey, asOfMs: number): Awaitable<VersionedRecord<V> | null> {
    if (asOfMs < 0) return null;
    if (asOfMs >= this.bytes.progress.streamTimeMs - this.settings.historyRetentionMs) {
      return andThen(this.lastUpTo(key, asOfMs), (entry) => this.record(entry));
    }
    return andThen(this.newest(key), (newest) => (newest !== null && newest.timestampMs <= asOfMs ? newest : null));
  }

  private lastUpTo(key: ByteKey, toMs: number): Awaitable<StoredEntry | null> {
    return firstOf(this.bytes.entries(versionRange(key, 0, clampTime(toMs), true)), isOf(key));
  }

  private record(entry: StoredEntry | null): VersionedRecord<V> | null {
    const value = entry === null ? null : readVersionValue(entry.value);
    if (entry === null || value === null) return null;
    const timestampMs = timeOfVersion(entry.key);
    return { value: this.codec.value({ value, timestampMs }), timestampMs };
  }
}

/** Whether an entry of a range of `key`'s versions is one of them: versions of longer keys may lie between. */
function isOf(key: ByteKey): (entry: StoredEntry) => boolean {
  const length = packVersionKey(key, 0).length;
  return (entry) => entry.key.length === length;
}
