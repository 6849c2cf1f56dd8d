/** Stores whose keys carry a time, as data. Kafka: `Stores.windowStoreBuilder`, `sessionStoreBuilder`, `versionedKeyValueStoreBuilder`. */
import { type Duration, durationMs } from '../model/duration.js';
import { TopologyError } from '../model/errors.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore } from '../state/byte-store.js';
import { sessionChangelogKeys, windowChangelogKeys } from '../state/changelog-keys.js';
import { clampTime } from '../state/packed-numbers.js';
import { sessionLayout } from '../state/session-layout.js';
import { openSessionStore } from '../state/session-store.js';
import type { StateStore } from '../state/state-store.js';
import { versionLayout } from '../state/version-layout.js';
import { openVersionedStore } from '../state/versioned-store.js';
import { windowLayout } from '../state/window-layout.js';
import { openTimestampedWindowStore, openWindowStore, type WindowStoreSettings } from '../state/window-store.js';
import { type CommonStoreOptions, commonSpec } from './store-checks.js';
import type { StoreContext, StoreSpec } from './store-spec.js';

export interface WindowStoreOptions<K, V> extends CommonStoreOptions<K, V> {
  /** How long a window is kept after its start, by the store's own stream time: at least the window's size. */
  readonly retention: Duration;
  /** Length of each window: what their ends are made of when they are read. */
  readonly windowSize: Duration;
  /** Where windows end (exclusive), if not all are of one length: `windowSize` is then the greatest. */
  readonly endOf?: (startMs: number) => number;
  /** Whether a put beside another of the same key and start adds to it instead of replacing it; default false. */
  readonly retainDuplicates?: boolean;
  /** Whether windows of several keys are listed as Kafka's in-memory store lists them, by time and then key; default false. */
  readonly inMemory?: boolean;
}

export interface SessionStoreOptions<K, V> extends CommonStoreOptions<K, V> {
  /** How long a session is kept after its end, by the store's own stream time. */
  readonly retention: Duration;
  /** Whether sessions of several keys are listed as Kafka's in-memory store lists them, by end and then key; default false. */
  readonly inMemory?: boolean;
}

export interface VersionedStoreOptions<K, V> extends CommonStoreOptions<K, V> {
  /** How far back `get(key, asOf)` sees, and how late a version may come, by the store's own stream time. */
  readonly historyRetention: Duration;
}

/**
 * A store of values by key and window. Kafka: `windowStoreBuilder`. Processors get it as a `WindowStore`.
 *
 * @example
 * windowStore({ name: 'seen', key: string(), value: string(), retention: '1h', windowSize: '5m' })
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY · {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration
 */
export function windowStore<K, V>(options: WindowStoreOptions<K, V>): StoreSpec {
  return windowSpec('window', options, openWindowStore);
}

/**
 * A store of values by key and window that keeps a timestamp with each value, as windowed aggregations do.
 * Kafka: `timestampedWindowStoreBuilder`. Processors get it as a `WindowStore` of `ValueAndTimestamp`.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY · {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration
 */
export function timestampedWindowStore<K, V>(options: WindowStoreOptions<K, V>): StoreSpec {
  return windowSpec('timestampedWindow', options, openTimestampedWindowStore);
}

/** Duplicates are numbered anew by each run: of two with one number both count. Kafka: `WindowStoreBuilder`. */
const NOT_COMPACTED = { 'cleanup.policy': 'delete' };

type WindowOpener = (
  bytes: ByteStore,
  settings: WindowStoreSettings<unknown, unknown>,
  context: StoreContext,
) => StateStore;

function windowSpec<K, V>(
  kind: 'window' | 'timestampedWindow',
  options: WindowStoreOptions<K, V>,
  open: WindowOpener,
): StoreSpec {
  const common = commonSpec(options, ['retention', 'windowSize', 'endOf', 'retainDuplicates', 'inMemory']);
  const retentionMs = durationMs(options.retention, `retention of store '${options.name}'`);
  const windowSizeMs = durationMs(options.windowSize, `windowSize of store '${options.name}'`);
  if (windowSizeMs > retentionMs) {
    throw new TopologyError(`window store '${options.name}' keeps its windows for less than their size`, {
      details: { store: options.name, retentionMs, windowSizeMs },
      remedy: 'Give a retention of at least the window size, and of the size plus the grace where late records count.',
    });
  }
  const { inMemory = false, retainDuplicates = false } = options;
  const endOf = options.endOf ?? ((startMs: number) => clampTime(startMs + windowSizeMs));
  const settings = { ...common, retentionMs, endOf, retainDuplicates };
  return Object.freeze({
    ...common,
    ...(retainDuplicates ? { changelogConfig: Object.freeze({ ...NOT_COMPACTED, ...common.changelogConfig }) } : {}),
    kind,
    cached: false,
    retentionMs,
    layout: windowLayout({ retentionMs, inMemory, retainDuplicates }),
    changelogKeySerde: windowChangelogKeys(options.key, endOf) as Serde<unknown>,
    open: (bytes, context) => open(bytes, settings, context),
    ...(kind === 'window' ? {} : { openPlain: (bytes, context) => openWindowStore(bytes, settings, context) }),
  } satisfies StoreSpec);
}

/**
 * A store of values by key and session. Kafka: `sessionStoreBuilder`. Processors get it as a `SessionStore`.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY · {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration
 */
export function sessionStore<K, V>(options: SessionStoreOptions<K, V>): StoreSpec {
  const common = commonSpec(options, ['retention', 'inMemory']);
  const retentionMs = durationMs(options.retention, `retention of store '${options.name}'`);
  const { inMemory = false } = options;
  const settings = { ...common, retentionMs, inMemory };
  return Object.freeze({
    ...common,
    kind: 'session',
    cached: false,
    retentionMs,
    layout: sessionLayout({ retentionMs, inMemory }),
    changelogKeySerde: sessionChangelogKeys(options.key) as Serde<unknown>,
    open: (bytes, context) => openSessionStore(bytes, settings, context),
  } satisfies StoreSpec);
}

/**
 * A store of values with their history. Kafka: `versionedKeyValueStoreBuilder`. Processors get it as a `VersionedKeyValueStore`.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY · {InvalidSettingError} STREAMS_INVALID_SETTING for what is no duration
 */
export function versionedStore<K, V>(options: VersionedStoreOptions<K, V>): StoreSpec {
  const common = commonSpec(options, ['historyRetention']);
  const historyRetentionMs = durationMs(options.historyRetention, `historyRetention of store '${options.name}'`);
  const settings = { ...common, historyRetentionMs };
  return Object.freeze({
    ...common,
    kind: 'versioned',
    cached: false,
    retentionMs: historyRetentionMs,
    layout: versionLayout(historyRetentionMs),
    open: (bytes, context) => openVersionedStore(bytes, settings, context),
  } satisfies StoreSpec);
}
