import type { Serde } from '../serde/serde.js';
import type { ByteStore } from './byte-store.js';
import { plainValues, type StoreClock } from './store-codec.js';
import { TypedKeyValueStore } from './typed-key-value-store.js';

/** The serdes of a key-value store, and the name that errors give it. */
export interface KeyValueStoreOptions<K, V> {
  readonly name: string;
  readonly keySerde: Serde<K>;
  readonly valueSerde: Serde<V>;
}

/**
 * Opens a key-value store. Kafka: `KeyValueStore`.
 *
 * The bytes of a value are those of its serde; the changelog record takes the timestamp of the record being processed.
 */
export function openKeyValueStore<K, V>(
  bytes: ByteStore,
  options: KeyValueStoreOptions<K, V>,
  context: StoreClock,
): TypedKeyValueStore<K, V> {
  return new TypedKeyValueStore(bytes, options.name, options.keySerde, plainValues(options.valueSerde, context));
}
