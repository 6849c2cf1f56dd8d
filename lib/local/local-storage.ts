import { join } from 'node:path';
import type { Host, Metrics, MetricTags } from '../host/host.js';
import { createMetricsRegistry } from '../host/metrics-registry.js';
import type { Log } from '../log/log.js';
import { createMemoryLog } from '../log/memory/memory-log.js';
import { createFolderSnapshotStore } from '../snapshots/folder/folder-snapshot-store.js';
import { createMemorySnapshotStore } from '../snapshots/memory/memory-snapshot-store.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';

/** The host's metrics, with sums over all series of a name. */
export interface SummedMetrics extends Metrics {
  total(name: string): number;
}

/** What lasts while the system runs: log and snapshots, in memory or in a folder, and the host with metrics to read back. */
export interface LocalStorage {
  readonly host: Host;
  readonly metrics: SummedMetrics;
  readonly log: Log;
  readonly snapshots: SnapshotStore;
}

/** Where it is kept; see `LocalStreamsOptions`. */
export interface StorageOptions {
  readonly dir?: string | undefined;
  readonly log?: Log | undefined;
  readonly host: Host;
}

/** @throws {InvalidFolderError} STREAMS_INVALID_FOLDER before anything in it is touched */
export async function openStorage({ dir, log, host: given }: StorageOptions): Promise<LocalStorage> {
  const metrics = summedMetrics(given.metrics);
  const host: Host = { ...given, metrics };
  return {
    host,
    metrics,
    log: log ?? (await createMemoryLog(dir === undefined ? { host } : { host, dir: join(dir, 'log') })),
    snapshots: dir === undefined ? createMemorySnapshotStore() : createFolderSnapshotStore(join(dir, 'snapshots')),
  };
}

function summedMetrics(given: Metrics): SummedMetrics {
  const registry = createMetricsRegistry();
  return {
    count(name: string, value: number, tags?: MetricTags) {
      given.count(name, value, tags);
      registry.count(name, value, tags);
    },
    gauge(name: string, value: number, tags?: MetricTags) {
      given.gauge(name, value, tags);
      registry.gauge(name, value, tags);
    },
    total: (name) => registry.snapshot().reduce((sum, sample) => (sample.name === name ? sum + sample.value : sum), 0),
  };
}
