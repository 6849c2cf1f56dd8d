import type { ByteStore } from './byte-store.js';
import type { KeyValueStoreOptions } from './key-value-store.js';
import type { ValueAndTimestamp } from './state-store.js';
import { type StoreClock, timestampedValues } from './store-codec.js';
import { TypedKeyValueStore } from './typed-key-value-store.js';

/** Opens a key-value store whose values carry a timestamp. Kafka: `TimestampedKeyValueStore`. */
export function openTimestampedKeyValueStore<K, V>(
  bytes: ByteStore,
  options: KeyValueStoreOptions<K, V>,
  context: StoreClock,
): TypedKeyValueStore<K, ValueAndTimestamp<V>> {
  const { name, keySerde, valueSerde } = options;
  return new TypedKeyValueStore(bytes, name, keySerde, timestampedValues(valueSerde, context));
}
