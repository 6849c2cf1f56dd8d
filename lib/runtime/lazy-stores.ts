/** Stores of running tasks that lie in their snapshots: which ones, how they are opened, and what their own snapshots are made of. */
import type { Host } from '../host/host.js';
import { type ColdReads, ColdSnapshot } from '../snapshots/cold-snapshot.js';
import type { Manifest, SnapshotIdentity } from '../snapshots/manifest.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';
import type { WrittenSnapshot } from '../snapshots/write-snapshot.js';
import type { StoreWrite } from '../state/byte-store.js';
import { LazyStore } from '../state/lazy-store.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import type { RestoringRun } from './restoring-run.js';

/** Bytes in memory from which on a snapshot is written to have them back. */
const WORTH_TAKING_BYTES = 64 * 1024;

/** What a store that lies in its snapshot is read through, for as long as it is open. */
export interface LazyLoading {
  readonly snapshots: SnapshotStore;
  readonly host: Pick<Host, 'codec' | 'digest' | 'logger' | 'metrics'>;
  readonly reads: ColdReads;
  /** Whether a store whose snapshot takes at least so many bytes is to be in memory instead (`storeMode` auto). Absent: never. */
  readonly fits?: (bytes: number) => boolean;
  /** Whether the memory of the member is short. Absent: never. */
  readonly isShort?: () => boolean;
}

/** How the stores of a run lie in snapshots, if they do. */
export function lazyLoadingOf({
  app,
  ports,
  kept,
  restores,
}: Pick<RestoringRun, 'app' | 'ports' | 'kept' | 'restores'>): LazyLoading {
  const { snapshots, host } = ports;
  const { storeMode, snapshotCacheMaxBytes } = app.settings;
  const fits = (bytes: number) => restores?.budget.hasRoom(bytes) ?? true;
  const reads = kept.coldReads(snapshotCacheMaxBytes);
  return { snapshots, host, reads, isShort: () => !fits(0), ...(storeMode === 'auto' ? { fits } : {}) };
}

/** Whether the next snapshot of a store that may lie in one is to take what is in it from memory. */
export function isToLie(store: LazyStore, { fits, isShort }: LazyLoading): boolean {
  return fits === undefined || store.lies || isShort?.() === true;
}

/**
 * Whether a store of a running task may lie in its snapshot: those of plain keys. What has a time in its keys or ends by time is let go in the
 * order of time, and what serdes look up is looked up for all content before a task begins: both need the store in memory. So does a
 * source topic that serves as changelog, whose snapshots are bound to the committed input.
 */
export function isLazy(app: StreamsApp, { store, internal }: TaskChangelog): boolean {
  if (app.settings.storeMode === 'resident' || !internal) return false;
  const spec = app.topology.stores.get(store);
  if (spec === undefined) return false;
  const { layout, ttlMs, keySerde, valueSerde, changelogKeySerde } = spec;
  const looksUp = [keySerde, valueSerde, changelogKeySerde].some((serde) => serde?.lookups !== undefined);
  return layout === undefined && ttlMs === undefined && !looksUp;
}

/** Whether the memory of the member is short, and what the store holds of it is worth a snapshot. */
export function isTooMuch(store: LazyStore, { isShort }: LazyLoading): boolean {
  return store.sizeBytes >= WORTH_TAKING_BYTES && isShort?.() === true;
}

/** A store that lies in this snapshot, with nothing written since. @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED */
export async function lazyStore(
  name: string,
  loading: LazyLoading,
  identity: SnapshotIdentity,
  snapshot: Pick<WrittenSnapshot, 'name' | 'manifest'>,
): Promise<LazyStore> {
  return new LazyStore(name, await openCold(loading, identity, snapshot));
}

/** What a snapshot of such a store is made of: what was committed since the one that it lies in. */
export interface LazyContent {
  readonly entries: readonly StoreWrite[];
  /** Absent: there is none, and `entries` are all. */
  readonly base?: Manifest;
}

/**
 * Call {@link lieIn} or `giveUpRebase` of the store afterwards.
 *
 * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if what the store lies in is gone
 */
export async function lazyContent(store: LazyStore): Promise<LazyContent> {
  const { below } = store;
  if (!(below instanceof ColdSnapshot)) return { entries: store.beginRebase() };
  await below.stand();
  return { entries: store.beginRebase(), base: below.manifest };
}

/** Lets the store lie in its new snapshot, and go of what is in it. */
export async function lieIn(
  store: LazyStore,
  loading: LazyLoading,
  identity: SnapshotIdentity,
  written: WrittenSnapshot,
  { entries }: LazyContent,
): Promise<void> {
  store.rebase(await openCold(loading, identity, written), entries);
}

function openCold(
  { snapshots, host, reads }: LazyLoading,
  identity: SnapshotIdentity,
  snapshot: Pick<WrittenSnapshot, 'name' | 'manifest'>,
): Promise<ColdSnapshot> {
  return ColdSnapshot.open({ store: snapshots, host, identity, reads }, snapshot);
}
