/** Stores as data, to be added to a topology. Kafka: `Stores`, `StoreBuilder`. */
import { TopologyError } from '../model/errors.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore } from '../state/byte-store.js';
import { openKeyValueStore } from '../state/key-value-store.js';
import { openTimestampedKeyValueStore } from '../state/timestamped-key-value-store.js';
import type { StoreContext, StoreSpec } from './store-spec.js';

export interface KeyValueStoreOptions<K, V> {
  /** Unique in the topology; names the changelog `<applicationId>-<name>-changelog`. */
  readonly name: string;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  /** Whether writes go to a changelog topic; default true. Without one the store is empty after a restart. */
  readonly logged?: boolean;
  /** Accepted for the sake of Kafka's vocabulary: every store's image is in memory, and the changelog is the truth. */
  readonly inMemory?: boolean;
  /** Whether downstream updates may be deduplicated within a commit; default false, as for Kafka's store builders. */
  readonly cached?: boolean;
  /** Overrides of the changelog topic's settings, by Kafka's names. */
  readonly changelogConfig?: Readonly<Record<string, string>>;
}

/** A store of keys and values. Kafka: `keyValueStoreBuilder`. */
export function keyValueStore<K, V>(options: KeyValueStoreOptions<K, V>): StoreSpec {
  return storeSpec('keyValue', options, openKeyValueStore);
}

/** A store that keeps a timestamp with each value. Kafka: `timestampedKeyValueStoreBuilder`. */
export function timestampedKeyValueStore<K, V>(options: KeyValueStoreOptions<K, V>): StoreSpec {
  return storeSpec('timestampedKeyValue', options, openTimestampedKeyValueStore);
}

type Opener = (
  bytes: ByteStore,
  spec: Pick<StoreSpec, 'name' | 'keySerde' | 'valueSerde'>,
  context: StoreContext,
) => ReturnType<StoreSpec['open']>;

function storeSpec<K, V>(kind: StoreSpec['kind'], options: KeyValueStoreOptions<K, V>, open: Opener): StoreSpec {
  expectStoreName(options?.name);
  for (const side of ['key', 'value'] as const) expectSerde(options[side] as Serde<unknown>, side, options.name);
  const spec: StoreSpec = {
    name: options.name,
    kind,
    keySerde: options.key as Serde<unknown>,
    valueSerde: options.value as Serde<unknown>,
    logged: options.logged ?? true,
    changelogConfig: Object.freeze({ ...options.changelogConfig }),
    cached: options.cached ?? false,
    open: (bytes, context) => open(bytes, spec, context),
  };
  return Object.freeze(spec);
}

function expectSerde(serde: Serde<unknown>, side: 'key' | 'value', store: string): void {
  if (typeof serde?.serialize === 'function' && typeof serde.deserialize === 'function') return;
  throw new TopologyError(`state store '${store}' has no serde for its ${side}`, {
    details: { store, side },
    remedy: `Give the ${side} serde as an option: { ${side}: string() }.`,
  });
}

function expectStoreName(name: unknown): void {
  if (typeof name === 'string' && /^[a-zA-Z0-9._-]{1,200}$/.test(name)) return;
  throw new TopologyError(`'${String(name)}' is no name for a state store`, {
    details: { store: name },
    remedy:
      'Name the store with 1 to 200 letters, digits, dots, underscores and dashes: it becomes part of a topic name.',
  });
}
