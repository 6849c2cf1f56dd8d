/** Stores of windowed aggregations. Kafka: `WindowStoreMaterializer`, `SlidingWindowStoreMaterializer`, `SessionStoreMaterializer`. */
import { durationMs } from '../../model/duration.js';
import { TopologyError } from '../../model/errors.js';
import type { Serde } from '../../serde/serde.js';
import { clampTime } from '../../state/packed-numbers.js';
import { sessionLayout } from '../../state/session-layout.js';
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
    retention: foundMs({ ...store, isSession: false }, retentionMs),
    windowSize: windows.maxSizeMs,
    endOf: windows.endOf,
    inMemory: isFinal || store.options.inMemory === true,
  });
  return Object.freeze({ ...spec, retentionMs, cached: isCached(store) });
}

/**
 * The store of sessions. Errors as those of {@link materializeWindows}.
 *
 * At the retention that Kafka Streams asks for by default, reads find a session no more from the last moment at which it may still grow,
 * one before it is closed. Where final results are given its entry is held until then, whatever the reads find.
 */
export function materializeSessions<K, V>(store: WindowedStore<K, V>): StoreSpec {
  const retentionMs = retentionOf(store);
  const inMemory = store.options.inMemory === true;
  const spec = sessionStore({ ...common(store), retention: retentionMs, inMemory });
  const heldMs =
    store.emit === 'onWindowClose' ? Math.max(retentionMs, clampTime(store.leastRetentionMs + 1)) : retentionMs;
  return Object.freeze({
    ...spec,
    layout: sessionLayout({ retentionMs: heldMs, inMemory }),
    cached: isCached(store),
  });
}

/**
 * How long reads find what is in a store, by its own stream time: its retention. Kafka's stores of final results of time windows, but
 * for those in memory, find what is a millisecond older too.
 */
export function foundMs(
  {
    emit,
    options,
    isSession,
  }: Pick<WindowedStore<unknown, unknown>, 'emit' | 'options'> & { readonly isSession: boolean },
  retentionMs: number,
): number {
  const isTimeOrdered = emit === 'onWindowClose' && options.inMemory !== true && !isSession;
  return isTimeOrdered ? clampTime(retentionMs + 1) : retentionMs;
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
