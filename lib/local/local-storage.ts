import { join } from 'node:path';
import type { Host, Metrics, MetricTags } from '../host/host.js';
import { createMetricsRegistry } from '../host/metrics-registry.js';
import type { LeaseStore } from '../leases/lease-store.js';
import { createMemoryLeaseStore } from '../leases/memory/memory-lease-store.js';
import type { Log } from '../log/log.js';
import { createMemoryLog } from '../log/memory/memory-log.js';
import { InvalidFolderError } from '../model/errors.js';
import { createFolderSnapshotStore } from '../snapshots/folder/folder-snapshot-store.js';
import { createMemorySnapshotStore } from '../snapshots/memory/memory-snapshot-store.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';
import { readRecordedPlan, recordingPlans } from './recorded-plan.js';

/** The host's metrics, with sums over all series of a name. */
export interface SummedMetrics extends Metrics {
  total(name: string): number;
}

/** What lasts while the system runs: log, snapshots and tables, in memory or in a folder, and the host with metrics to read back. */
export interface LocalStorage {
  readonly host: Host;
  readonly metrics: SummedMetrics;
  readonly log: Log;
  readonly snapshots: SnapshotStore;
  /** Of those in memory only the partition counts of the newest plan last. */
  readonly leases: LeaseStore;
}

/** Where it is kept; see `LocalStreamsOptions`. */
export interface StorageOptions {
  readonly dir?: string | undefined;
  readonly log?: Log | undefined;
  readonly leases?: LeaseStore | undefined;
  readonly host: Host;
}

/** @throws {InvalidFolderError} STREAMS_INVALID_FOLDER before anything in it is touched */
export async function openStorage({ dir, log, leases, host: given }: StorageOptions): Promise<LocalStorage> {
  if (dir !== undefined && (typeof dir !== 'string' || dir === ''))
    throw new InvalidFolderError(`dir: '${String(dir)}' was given, the path of a folder is wanted`);
  const metrics = summedMetrics(given.metrics);
  const host: Host = { ...given, metrics };
  // First the log: it locks the folder for this process.
  const opened = log ?? (await createMemoryLog(dir === undefined ? { host } : { host, dir: join(dir, 'log') }));
  try {
    return { host, metrics, log: opened, ...openTables(dir, host), ...(leases === undefined ? {} : { leases }) };
  } catch (thrown) {
    if (log === undefined) await opened.close();
    throw thrown;
  }
}

function openTables(dir: string | undefined, { digest }: Host): Pick<LocalStorage, 'snapshots' | 'leases'> {
  if (dir === undefined) return { snapshots: createMemorySnapshotStore(), leases: createMemoryLeaseStore() };
  const newestPlan = readRecordedPlan(dir, digest);
  const leases = recordingPlans(createMemoryLeaseStore({ newestPlan }), dir, digest);
  return { snapshots: createFolderSnapshotStore(join(dir, 'snapshots')), leases };
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
