import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { ByteStore } from '../state/byte-store.js';
import type { StateStore } from '../state/state-store.js';
import { type CommonStoreOptions, commonSpec } from './store-checks.js';
import type { StoreContext, StoreSpec } from './store-spec.js';

export interface CustomStoreOptions<K, V, S extends StateStore> extends CommonStoreOptions<K, V> {
  /**
   * Makes the store that a processor gets, over bytes in the order of their keys. Called once for each processor of each task; it
   * should keep nothing besides the bytes, since only they survive a restart and an aborted transaction.
   *
   * @param context `timestampMs()` is what a write usually takes: the timestamp of the record being processed
   */
  open(bytes: ByteStore, context: StoreContext): S;
}

/**
 * A store of your own kind: a priority queue, a set, a counter. What it writes goes to its changelog, and it is restored, kept in
 * snapshots and moved with its task as any other. Kafka: a `StoreBuilder` of one's own.
 *
 * The serdes say what keys and values of its bytes are to who reads the changelog or asks the query function.
 *
 * @example
 * customStore({ name: 'seen', key: string(), value: string(), open: (bytes, context) => new SeenStore(bytes, context) })
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY
 */
export function customStore<K, V, S extends StateStore>(options: CustomStoreOptions<K, V, S>): StoreSpec {
  const common = commonSpec(options, ['open']);
  if (typeof options.open !== 'function') {
    throw new TopologyError(`store '${common.name}' needs a function open, not ${kindOfValue(options.open)}`, {
      details: { store: common.name },
    });
  }
  return Object.freeze({
    ...common,
    kind: 'keyValue',
    cached: false,
    open: (bytes, context) => options.open(bytes, context),
  } satisfies StoreSpec);
}
