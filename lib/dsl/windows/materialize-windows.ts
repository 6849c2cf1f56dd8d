/** Stores of windowed aggregations. Kafka: `WindowStoreMaterializer`, `SlidingWindowStoreMaterializer`, `SessionStoreMaterializer`. */
import { durationMs } from '../../model/duration.js';
import { TopologyError } from '../../model/errors.js';
import type { Serde } from '../../serde/serde.js';
import type { StoreSpec } from '../../topology/store-spec.js';
import { sessionStore, timestampedWindowStore } from '../../topology/windowed-stores.js';
import type { WindowedOptions } from '../options.js';
import type { EmitStrategy } from './windows.js';

export interface WindowedStore<K, V> {
  readonly name: string;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  readonly options: WindowedOptions;
  readonly emit: EmitStrategy;
  readonly leastRetentionMs: number;
  readonly leastHeldMs: number;
}

/**
 * The store of time windows: timestamped, cached unless the user says no or only final results are wanted. A store of final results
 * lists its windows by time, as Kafka's does.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if the retention does not cover what late records may still change
 */
export function materializeWindows<K, V>(
  store: WindowedStore<K, V>,
  windows: { readonly maxSizeMs: number; endOf(startMs: number): number },
): StoreSpec {
  const isFinal = store.emit === 'onWindowClose';
  const retentionMs = retentionOf(store);
  const spec = timestampedWindowStore({
    ...common(store),
    retention: heldMs(store, retentionMs),
    windowSize: windows.maxSizeMs,
    endOf: windows.endOf,
    inMemory: isFinal || store.options.inMemory === true,
  });
  return Object.freeze({ ...spec, retentionMs, cached: isCached(store) });
}

/** The store of sessions. Errors as those of {@link materializeWindows}. */
export function materializeSessions<K, V>(store: WindowedStore<K, V>): StoreSpec {
  const retentionMs = retentionOf(store);
  const retention = heldMs(store, retentionMs);
  const spec = sessionStore({ ...common(store), retention, inMemory: store.options.inMemory === true });
  return Object.freeze({ ...spec, retentionMs, cached: isCached(store) });
}

/**
 * How long the store itself keeps its entries. At the retention that Kafka Streams asks for by default it lets a session go at the last
 * moment at which it may still grow, and with it its final result: where those are wanted, results are those of a longer retention.
 */
export function heldMs(
  { emit, leastHeldMs }: Pick<WindowedStore<unknown, unknown>, 'emit' | 'leastHeldMs'>,
  retentionMs: number,
): number {
  return emit === 'onWindowClose' ? Math.max(retentionMs, leastHeldMs) : retentionMs;
}

function common<K, V>({ name, key, value, options: { logged, changelogConfig } }: WindowedStore<K, V>) {
  return {
    name,
    key,
    value,
    ...(logged === undefined ? {} : { logged }),
    ...(changelogConfig === undefined ? {} : { changelogConfig }),
  };
}

function isCached<K, V>({ emit, options }: WindowedStore<K, V>): boolean {
  return emit === 'onWindowUpdate' && (options.cached ?? true);
}

function retentionOf<K, V>({ name, options, leastRetentionMs }: WindowedStore<K, V>): number {
  if (options.retention === undefined) return leastRetentionMs;
  const wantedMs = durationMs(options.retention, `retention of store '${name}'`);
  if (wantedMs >= leastRetentionMs) return wantedMs;
  throw new TopologyError(
    `store '${name}' keeps its windows for ${wantedMs} ms, late records need ${leastRetentionMs}`,
    {
      details: { store: name, retentionMs: wantedMs, leastRetentionMs },
      remedy:
        'Give a retention of at least the size of the windows (twice the difference of sliding ones) and their grace.',
    },
  );
}
