import type { Duration } from '../model/duration.js';
import { TopologyError } from '../model/errors.js';
import type { Serde } from '../serde/serde.js';
import type { StoreSpec } from '../topology/store-spec.js';
import { timestampedKeyValueStore } from '../topology/stores.js';
import { versionedStore } from '../topology/windowed-stores.js';
import type { RowFormat } from './operators/row-store.js';
import type { ExpiringOptions, StoreOptions } from './options.js';

/**
 * The store of an operator's table: timestamped, cached unless the user says no; versioned where the table keeps its history.
 * Kafka: `KeyValueStoreMaterializer`.
 */
export function materialize<K, V>(
  name: string,
  key: Serde<K>,
  value: Serde<V>,
  options: StoreOptions & ExpiringOptions,
): StoreSpec {
  const { logged, changelogConfig, historyRetention, ttl } = options;
  const common = {
    name,
    key,
    value,
    ...(logged === undefined ? {} : { logged }),
    ...(changelogConfig === undefined ? {} : { changelogConfig }),
  };
  if (historyRetention !== undefined) {
    expectNoTtl(name, ttl);
    return versionedStore({ ...common, historyRetention });
  }
  if (ttl !== undefined) return timestampedKeyValueStore({ ...common, ttl, cached: false });
  return timestampedKeyValueStore({ ...common, cached: options.cached ?? true });
}

function expectNoTtl(store: string, ttl: Duration | undefined): void {
  if (ttl === undefined) return;
  throw new TopologyError(`store '${store}': a table that keeps its history can not have a ttl`, {
    details: { store },
    remedy: 'Give either historyRetention or ttl.',
  });
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if a history is wanted of a table that need not be kept */
export function expectHistoryIsKept({ historyRetention, store }: StoreOptions, table: string): void {
  if (historyRetention === undefined || store !== undefined) return;
  throw new TopologyError(`${table}: a history is kept in a store, and none is named`, {
    details: { node: table },
    remedy: "Give historyRetention together with store: name the table's store.",
  });
}

/** How operators read and write the rows of such a store. */
export function rowFormat<K, V>(spec: StoreSpec, key: Serde<K>, value: Serde<V>): RowFormat<K, V> {
  const { name: store, kind, retentionMs } = spec;
  return { store, key, value, ...(kind === 'versioned' ? { historyRetentionMs: retentionMs ?? 0 } : {}) };
}
