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

/** What a store that lies in its snapshot is read through, for as long as it is open. */
export interface LazyLoading {
  readonly snapshots: SnapshotStore;
  readonly host: Pick<Host, 'codec' | 'digest' | 'logger' | 'metrics'>;
  readonly reads: ColdReads;
}

/**
 * Whether a store of a running task lies in its snapshot: those of plain keys. What has a time in its keys or ends by time is let go in the
 * order of time, and what serdes look up is looked up for all content before a task begins: both need the store in memory. So does a
 * source topic that serves as changelog, whose snapshots are bound to the committed input.
 */
export function isLazy(app: StreamsApp, { store, internal }: TaskChangelog): boolean {
  if (app.settings.storeMode !== 'lazy' || !internal) return false;
  const spec = app.topology.stores.get(store);
  if (spec === undefined) return false;
  const { layout, ttlMs, keySerde, valueSerde, changelogKeySerde } = spec;
  const looksUp = [keySerde, valueSerde, changelogKeySerde].some((serde) => serde?.lookups !== undefined);
  return layout === undefined && ttlMs === undefined && !looksUp;
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

/** @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if what the store lies in is gone */
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
