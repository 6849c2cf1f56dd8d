import type { Serde } from '../serde/serde.js';
import type { ByteStore } from '../state/byte-store.js';
import type { StateStore } from '../state/state-store.js';

/** What a typed store asks of the task around it. */
export interface StoreContext {
  /** Timestamp of the record being processed (stream time in a punctuation): the timestamp of a plain store's writes. */
  timestampMs(): number;
}

/**
 * A store of a topology, as data. Kafka: `StoreBuilder`.
 *
 * `kind` names the format of keys and values in changelog and snapshot; `open` makes the typed store that user code sees.
 */
export interface StoreSpec {
  readonly name: string;
  readonly kind: 'keyValue' | 'timestampedKeyValue';
  readonly keySerde: Serde<unknown>;
  readonly valueSerde: Serde<unknown>;
  /** Whether writes go to a changelog topic; false leaves the store to memory alone. */
  readonly logged: boolean;
  /** Overrides of the changelog topic's settings. */
  readonly changelogConfig: Readonly<Record<string, string>>;
  /** Whether downstream updates may be deduplicated within a commit (`statestoreCacheMaxBytes`). */
  readonly cached: boolean;
  open(bytes: ByteStore, context: StoreContext): StateStore;
}
