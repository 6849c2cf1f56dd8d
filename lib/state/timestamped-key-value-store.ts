import type { ByteStore } from './byte-store.js';
import type { KeyValueStoreOptions } from './key-value-store.js';
import { readStored } from './read-stored.js';
import type { ValueAndTimestamp } from './state-store.js';
import type { StoreClock } from './store-codec.js';
import { TypedKeyValueStore } from './typed-key-value-store.js';

/**
 * Opens a key-value store whose values carry a timestamp. Kafka: `TimestampedKeyValueStore`.
 *
 * The timestamp lies beside the bytes, as it does in the changelog (a plain value in a record of that timestamp), so that the
 * changelog reads the same in Kafka Streams. A delete takes the timestamp of the record being processed.
 */
export function openTimestampedKeyValueStore<K, V>(
  bytes: ByteStore,
  options: KeyValueStoreOptions<K, V>,
  context: StoreClock,
): TypedKeyValueStore<K, ValueAndTimestamp<V>> {
  const { valueSerde } = options;
  return new TypedKeyValueStore(bytes, options.name, options.keySerde, {
    decode: (stored) => ({ value: readStored(stored, valueSerde), timestampMs: stored.timestampMs }),
    encode: ({ value, timestampMs }) => ({ value: valueSerde.serialize(value), timestampMs }),
    timestampOfDelete: () => context.timestampMs(),
  });
}
