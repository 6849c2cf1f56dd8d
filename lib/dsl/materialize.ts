import type { Serde } from '../serde/serde.js';
import type { StoreSpec } from '../topology/store-spec.js';
import { timestampedKeyValueStore } from '../topology/stores.js';
import type { StoreOptions } from './options.js';

/** The store of an operator's table: timestamped, cached unless the user says no. Kafka: `KeyValueStoreMaterializer`. */
export function materialize<K, V>(name: string, key: Serde<K>, value: Serde<V>, options: StoreOptions): StoreSpec {
  const { logged, changelogConfig } = options;
  return timestampedKeyValueStore({
    name,
    key,
    value,
    cached: options.cached ?? true,
    ...(logged === undefined ? {} : { logged }),
    ...(changelogConfig === undefined ? {} : { changelogConfig }),
  });
}
