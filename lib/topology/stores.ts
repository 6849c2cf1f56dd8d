/** Stores as data, to be added to a topology. Kafka: `Stores`, `StoreBuilder`. */
import { type Duration, durationMs } from '../model/duration.js';
import { TopologyError } from '../model/errors.js';
import type { ByteStore } from '../state/byte-store.js';
import { openKeyValueStore } from '../state/key-value-store.js';
import { openTimestampedKeyValueStore } from '../state/timestamped-key-value-store.js';
import { type CommonStoreOptions, commonSpec } from './store-checks.js';
import type { StoreContext, StoreKind, StoreSpec } from './store-spec.js';

export interface KeyValueStoreOptions<K, V> extends CommonStoreOptions<K, V> {
  /**
   * How long after its write an entry ends, by the task's stream time; default: it stays until it is deleted. See
   * `docs/decisions/0020-entries-end-by-stream-time.md`.
   */
  readonly ttl?: Duration;
  /** Accepted for the sake of Kafka's vocabulary: every store's image is in memory, and the changelog is the truth. */
  readonly inMemory?: boolean;
  /** Whether downstream updates may be deduplicated within a commit; default false, as for Kafka's store builders. */
  readonly cached?: boolean;
}

/**
 * A store of keys and values. Kafka: `keyValueStoreBuilder`.
 *
 * @example
 * keyValueStore({ name: 'seen', key: string(), value: string(), ttl: '1h' })
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY · {InvalidSettingError} STREAMS_INVALID_SETTING for a ttl that is no duration
 */
export function keyValueStore<K, V>(options: KeyValueStoreOptions<K, V>): StoreSpec {
  return storeSpec('keyValue', options, openKeyValueStore);
}

/** A store that keeps a timestamp with each value. Kafka: `timestampedKeyValueStoreBuilder`. */
export function timestampedKeyValueStore<K, V>(options: KeyValueStoreOptions<K, V>): StoreSpec {
  const spec = storeSpec('timestampedKeyValue', options, openTimestampedKeyValueStore);
  return Object.freeze<StoreSpec>({ ...spec, openPlain: (bytes, context) => openKeyValueStore(bytes, spec, context) });
}

type Opener = (
  bytes: ByteStore,
  spec: Pick<StoreSpec, 'name' | 'keySerde' | 'valueSerde'>,
  context: StoreContext,
) => ReturnType<StoreSpec['open']>;

function storeSpec<K, V>(kind: StoreKind, options: KeyValueStoreOptions<K, V>, open: Opener): StoreSpec {
  const spec: StoreSpec = {
    ...commonSpec(options, ['ttl', 'inMemory', 'cached']),
    kind,
    ...(options.ttl === undefined ? {} : { ttlMs: ttlOf(options.ttl, options.name) }),
    cached: options.cached ?? false,
    open: (bytes, context) => open(bytes, spec, context),
  };
  return Object.freeze(spec);
}

function ttlOf(ttl: Duration, store: string): number {
  const ttlMs = durationMs(ttl, `ttl of store '${store}'`);
  if (ttlMs > 0) return ttlMs;
  throw new TopologyError(`store '${store}' would keep nothing: its ttl is 0`, { details: { store } });
}
