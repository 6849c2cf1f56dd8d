import type { Headers } from '../model/record-set.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore } from '../state/byte-store.js';
import type { StateStore } from '../state/state-store.js';
import type { StoreLayout } from '../state/store-layout.js';

/** What a typed store asks of the task around it. */
export interface StoreContext {
  /** Timestamp of the record being processed (stream time in a punctuation): the timestamp of a plain store's writes. */
  timestampMs(): number;
  /** Counts a write that came too late for the store's retention. Absent: nobody counts. */
  recordExpired?(): void;
}

/** What a store is, and with it the format of its changelog. */
export type StoreKind =
  | 'keyValue'
  | 'timestampedKeyValue'
  | 'window'
  | 'timestampedWindow'
  | 'session'
  | 'versioned'
  /** Records of a left or outer join that have met none of the other stream. */
  | 'nonJoined'
  /** Records of a stream that wait for the rows of their time. */
  | 'waiting'
  /** Updates of a table that are held back. */
  | 'suppressed';

/**
 * A store of a topology, as data. Kafka: `StoreBuilder`.
 *
 * `kind` names the format of keys and values in changelog and snapshot; `open` makes the typed store that user code sees.
 */
export interface StoreSpec {
  readonly name: string;
  readonly kind: StoreKind;
  readonly keySerde: Serde<unknown>;
  readonly valueSerde: Serde<unknown>;
  /** Reads the keys of changelog records, where they are more than `keySerde`'s. */
  readonly changelogKeySerde?: Serde<unknown>;
  /** How long windows, sessions or superseded versions are kept, by the store's own stream time; absent: entries are kept for ever. */
  readonly retentionMs?: number;
  /** How long after its timestamp an entry ends, by the task's stream time; absent: it stays. */
  readonly ttlMs?: number;
  /** What the engine has to know of keys with a time in them; absent: they have none. */
  readonly layout?: StoreLayout;
  /** Headers of changelog records that are no tombstones; absent: none. */
  readonly changelogHeaders?: Headers;
  /** Whether writes go to a changelog topic; false leaves the store to memory alone. */
  readonly logged: boolean;
  /** Overrides of the changelog topic's settings. */
  readonly changelogConfig: Readonly<Record<string, string>>;
  /** Whether downstream updates may be deduplicated within a commit (`statestoreCacheMaxBytes`). */
  readonly cached: boolean;
  open(bytes: ByteStore, context: StoreContext): StateStore;
  /** As `open`, with the values alone where values carry a timestamp; absent: they carry none. */
  openPlain?(bytes: ByteStore, context: StoreContext): StateStore;
}
