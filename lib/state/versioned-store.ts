/**
 * A versioned store as user code sees it, over a {@link ByteStore} with the layout of version-layout.ts.
 * Kafka: `VersionedKeyValueStore` (KIP-889).
 */
import { type Awaitable, andThen } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore, StoredValue } from './byte-store.js';
import type { VersionedKeyValueStore, VersionedRecord, VersionPut } from './state-store.js';
import { plainValues, type StoreClock, StoreCodec } from './store-codec.js';
import { expectTime } from './store-times.js';
import { VersionBytes } from './version-bytes.js';

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

class TypedVersionedStore<K, V> implements VersionedKeyValueStore<K, V> {
  readonly name: string;
  /** The same store without serdes, for the library's own operators. */
  readonly versions: VersionBytes;
  private readonly codec: StoreCodec<K, V>;

  constructor(bytes: ByteStore, settings: VersionedStoreSettings<K, V>, clock: StoreClock) {
    this.name = settings.name;
    this.versions = new VersionBytes(bytes, settings.historyRetentionMs, clock);
    this.codec = new StoreCodec(settings.name, settings.keySerde, plainValues(settings.valueSerde, clock));
  }

  put(key: K, value: V | null, timestampMs: number): Awaitable<VersionPut> {
    return this.write(this.codec.bytesOf(key), value, timestampMs);
  }

  delete(key: K, timestampMs: number): Awaitable<VersionedRecord<V> | null> {
    const packed = this.codec.bytesOf(key);
    return andThen(this.versions.validAt(packed, timestampMs), (before) =>
      andThen(this.write(packed, null, timestampMs), ({ isPut }) => (isPut ? this.record(before) : null)),
    );
  }

  get(key: K, asOfMs?: number): Awaitable<VersionedRecord<V> | null> {
    const packed = this.codec.bytesOf(key);
    const found = asOfMs === undefined ? this.versions.newest(packed) : this.versions.validAt(packed, asOfMs);
    return andThen(found, (version) => this.record(version));
  }

  private write(key: ByteKey, value: V | null, timestampMs: number): Awaitable<VersionPut> {
    expectTime(this.name, 'timestampMs', timestampMs);
    return this.versions.put(key, this.codec.stored(value).value, timestampMs);
  }

  private record(version: StoredValue | null): VersionedRecord<V> | null {
    return version === null ? null : { value: this.codec.value(version), timestampMs: version.timestampMs };
  }
}
