/** Stores that operators of the DSL keep for themselves, as data. Nobody else reads them: queries refuse them. */
import type { Serde } from '../serde/serde.js';
import type { ByteStore } from '../state/byte-store.js';
import { HELD_UPDATE_HEADERS, heldUpdatesOf } from '../state/held-update.js';
import { openKeyValueStore } from '../state/key-value-store.js';
import { nonJoinedKeySerde, nonJoinedValueSerde } from '../state/non-joined-layout.js';
import { waitingKeysOf, waitingLayout } from '../state/waiting-layout.js';
import { commonSpec } from './store-checks.js';
import type { StoreContext, StoreSpec } from './store-spec.js';

interface OperatorStoreOptions {
  readonly name: string;
  readonly logged?: boolean;
  readonly changelogConfig?: Readonly<Record<string, string>>;
}

/** Of stores that hold records of a stream or updates of a table; the serdes are theirs. */
interface HoldingOptions extends OperatorStoreOptions {
  readonly key: Serde<unknown>;
  readonly value: Serde<unknown>;
}

/**
 * What has met nothing yet of the two streams of a left or outer join. Kafka: `OuterStreamJoinStoreFactory`.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a name that is none
 */
export function nonJoinedStore(
  options: OperatorStoreOptions & {
    readonly key: Serde<unknown>;
    readonly left: Serde<unknown>;
    readonly right: Serde<unknown>;
  },
): StoreSpec {
  const { key, left, right, ...common } = options;
  const spec: StoreSpec = {
    ...commonSpec({ ...common, key: nonJoinedKeySerde(key), value: nonJoinedValueSerde(left, right) }),
    kind: 'nonJoined',
    cached: false,
    open: (bytes: ByteStore, context: StoreContext) => openKeyValueStore(bytes, spec, context),
  };
  return Object.freeze(spec);
}

/**
 * Updates of a table that are held back. Kafka: `InMemoryTimeOrderedKeyValueChangeBuffer.Builder`. What Kafka Streams wrote before
 * version 2.6 is not read.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a name that is none
 */
export function suppressedStore(options: HoldingOptions): StoreSpec {
  const spec: StoreSpec = {
    ...commonSpec({ ...options, value: heldUpdatesOf(options.value) }),
    kind: 'suppressed',
    cached: false,
    changelogHeaders: HELD_UPDATE_HEADERS,
    open: (bytes: ByteStore, context: StoreContext) => openKeyValueStore(bytes, spec, context),
  };
  return Object.freeze(spec);
}

/**
 * Records of a stream that wait for the rows of their time. Kafka: `RocksDBTimeOrderedKeyValueBuffer.Builder`.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a name that is none
 */
export function waitingStore(options: HoldingOptions): StoreSpec {
  const spec: StoreSpec = {
    ...commonSpec({ ...options, key: waitingKeysOf(options.key), value: heldUpdatesOf(options.value) }),
    kind: 'waiting',
    layout: waitingLayout,
    cached: false,
    open: (store: ByteStore, context: StoreContext) => openKeyValueStore(store, spec, context),
  };
  return Object.freeze(spec);
}
