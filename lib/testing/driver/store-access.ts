/**
 * How a test gets at stores, by their kind, as Kafka's driver does.
 *
 * A store is shown as processors see it now; after a restart ask again. What is put into it is part of the next commit of its task, and of
 * the changelog; where a value has no time of its own, with the time of the wall clock.
 *
 * All of them take the partition of the task, which may be left out where one task alone has the store, and for global stores, and throw
 * {QueryRefusedError} STREAMS_QUERY_REFUSED: if there is no store of that name (Kafka answers null), if it is of another kind (Kafka: null,
 * too), or if several tasks have it and no partition is given.
 */
import { QueryRefusedError } from '../../model/errors.js';
import type { ByteStore } from '../../state/byte-store.js';
import type {
  KeyValueStore,
  SessionStore,
  StateStore,
  TimestampedKeyValueStore,
  ValueAndTimestamp,
  VersionedKeyValueStore,
  WindowStore,
} from '../../state/state-store.js';
import { TypedKeyValueStore } from '../../state/typed-key-value-store.js';
import type { StoreContext, StoreKind, StoreSpec } from '../../topology/store-spec.js';

/** A store of the topology in one task. */
export interface StoreAtHand {
  readonly spec: StoreSpec;
  readonly bytes: ByteStore;
  readonly context: StoreContext;
}

/** The kinds of stores that each accessor shows; the first is its own. */
const SHOWN = {
  getKeyValueStore: ['keyValue', 'timestampedKeyValue'],
  getTimestampedKeyValueStore: ['timestampedKeyValue'],
  getVersionedKeyValueStore: ['versioned'],
  getWindowStore: ['window', 'timestampedWindow'],
  getTimestampedWindowStore: ['timestampedWindow'],
  getSessionStore: ['session'],
} as const satisfies Readonly<Record<string, readonly StoreKind[]>>;
type Accessor = keyof typeof SHOWN;

export abstract class StoreAccess {
  /** @throws {QueryRefusedError} STREAMS_QUERY_REFUSED */
  protected abstract storeAtHand(name: string, partition: number | undefined): StoreAtHand;

  /** A store of any kind, one of your own (`customStore`) too, as processors get it: that of a table has values with their timestamps. */
  getStore<S extends StateStore>(name: string, partition?: number): S {
    const { spec, bytes, context } = this.storeAtHand(name, partition);
    return spec.open(bytes, context) as S;
  }

  /** A key-value store; of one whose values carry a timestamp, that of a table say, the values alone. Kafka: `getKeyValueStore`. */
  getKeyValueStore<K, V>(name: string, partition?: number): KeyValueStore<K, V> {
    return this.plain('getKeyValueStore', name, partition) as KeyValueStore<K, V>;
  }

  /** A key-value store whose values carry a timestamp, as the stores of tables do. Kafka: `getTimestampedKeyValueStore`. */
  getTimestampedKeyValueStore<K, V>(name: string, partition?: number): TimestampedKeyValueStore<K, V> {
    return this.own('getTimestampedKeyValueStore', name, partition) as TimestampedKeyValueStore<K, V>;
  }

  /** A store of values with their history. Kafka: `getVersionedKeyValueStore`. */
  getVersionedKeyValueStore<K, V>(name: string, partition?: number): VersionedKeyValueStore<K, V> {
    return this.own('getVersionedKeyValueStore', name, partition) as VersionedKeyValueStore<K, V>;
  }

  /** A window store; of one whose values carry a timestamp, that of an aggregation say, the values alone. Kafka: `getWindowStore`. */
  getWindowStore<K, V>(name: string, partition?: number): WindowStore<K, V> {
    return this.plain('getWindowStore', name, partition) as WindowStore<K, V>;
  }

  /** A window store whose values carry a timestamp, as those of windowed aggregations do. Kafka: `getTimestampedWindowStore`. */
  getTimestampedWindowStore<K, V>(name: string, partition?: number): WindowStore<K, ValueAndTimestamp<V>> {
    return this.own('getTimestampedWindowStore', name, partition) as WindowStore<K, ValueAndTimestamp<V>>;
  }

  /** A session store. Kafka: `getSessionStore`. */
  getSessionStore<K, V>(name: string, partition?: number): SessionStore<K, V> {
    return this.own('getSessionStore', name, partition) as SessionStore<K, V>;
  }

  private own(accessor: Accessor, name: string, partition: number | undefined): StateStore {
    const { spec, bytes, context } = this.ofKind(accessor, name, partition);
    return spec.open(bytes, context);
  }

  private plain(accessor: Accessor, name: string, partition: number | undefined): StateStore {
    const { spec, bytes, context } = this.ofKind(accessor, name, partition);
    return (spec.openPlain ?? spec.open)(bytes, context);
  }

  private ofKind(accessor: Accessor, name: string, partition: number | undefined): StoreAtHand {
    const store = this.storeAtHand(name, partition);
    const shown: readonly StoreKind[] = SHOWN[accessor];
    if (shown.includes(store.spec.kind) && !isCustom(store)) return store;
    const kind = isCustom(store) ? 'of your own kind' : `of kind '${store.spec.kind}'`;
    throw new QueryRefusedError(`${accessor}: store '${name}' is ${kind}`, {
      details: { store: name, kind: store.spec.kind },
      remedy: `Ask for it by ${accessorsOf(store).join(' or ')}.`,
    });
  }
}

/** One of the user's says that it is a key-value store, of bytes; what it opens to is theirs. */
function isCustom({ spec, bytes, context }: StoreAtHand): boolean {
  return spec.kind === 'keyValue' && !(spec.open(bytes, context) instanceof TypedKeyValueStore);
}

function accessorsOf(store: StoreAtHand): readonly string[] {
  const { kind } = store.spec;
  const fitting = Object.entries<readonly StoreKind[]>(SHOWN).filter(([, kinds]) => kinds.includes(kind));
  return isCustom(store) || fitting.length === 0 ? ['getStore'] : fitting.map(([accessor]) => accessor);
}
