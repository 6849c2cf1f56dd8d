/** What a task has to read before it can run, as far as names and ends tell: enough to say who goes first. */

import { SnapshotCorruptedError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import { listManifests } from '../snapshots/list-manifests.js';
import type { Manifest, SnapshotIdentity } from '../snapshots/manifest.js';
import { readManifest } from '../snapshots/open-snapshot.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import type { KeptStores } from './kept-stores.js';
import { snapshotIdentity } from './load-store.js';
import type { RuntimePorts } from './ports.js';

/** Bytes of a changelog record where nothing tells: that of a short key with a number. */
const ASSUMED_RECORD_BYTES = 100;

/**
 * What is all here, as copies that were followed or as a task left it, and lacks no more than this, takes no place in the line of restores: it
 * is read sooner than others could be asked.
 */
export const TAIL_BYTES = 262_144;

/** Whether the changelog records that a store lacks are a short tail, as far as their number tells. */
export function isShortTail(records: number): boolean {
  return records * ASSUMED_RECORD_BYTES <= TAIL_BYTES;
}

export interface RestoreEstimate {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'log' | 'snapshots' | 'host'>;
  readonly task: Pick<TaskSpec, 'taskId' | 'changelogs'>;
  /** What this process holds does not have to be read. */
  readonly kept: Pick<KeptStores, 'positionOf'>;
}

/** Bytes of snapshots and changelogs that the task's stores are restored from, roughly. @throws what log and snapshots throw */
export async function estimateLeftBytes({ app, ports, task, kept }: RestoreEstimate): Promise<number> {
  const { changelogs, taskId } = task;
  if (changelogs.length === 0) return 0;
  const topics = await ports.log.describeTopics([...new Set(changelogs.map(({ topic }) => topic))]);
  const ends = await ports.log.listOffsets(changelogs, 'highWatermark');
  const starts = await ports.log.listOffsets(changelogs, 'earliest');
  let leftBytes = 0;
  for (const changelog of changelogs) {
    const key = topicPartitionKey(changelog);
    const end = ends.get(key) ?? 0;
    const held = kept.positionOf(taskId, changelog.store);
    const topicId = topics.get(changelog.topic)?.topicId;
    const manifest =
      held !== null || topicId === undefined
        ? null
        : await newestManifest(
            ports,
            snapshotIdentity({ app, taskId, storeName: changelog.store, topicId }),
            end as Offset,
          );
    const from = held ?? manifest?.nextOffset ?? starts.get(key) ?? 0;
    leftBytes += manifestBytes(manifest) + Math.max(0, end - from) * recordBytes(manifest);
  }
  return Math.round(leftBytes);
}

/** The newest one that may be of use; one that is damaged or gone tells nothing. */
async function newestManifest(
  { snapshots, host }: Pick<RuntimePorts, 'snapshots' | 'host'>,
  identity: SnapshotIdentity,
  end: Offset,
): Promise<Manifest | null> {
  const [newest] = await listManifests(snapshots, identity, 1);
  if (newest === undefined || newest.nextOffset > end) return null;
  try {
    return await readManifest(snapshots, host, newest.name);
  } catch (thrown) {
    if (thrown instanceof SnapshotCorruptedError) return null;
    throw thrown;
  }
}

/** Bytes of a snapshot's objects. */
export function manifestBytes(manifest: Manifest | null): number {
  return (manifest?.segments ?? []).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function recordBytes(manifest: Manifest | null): number {
  const entries = (manifest?.segments ?? []).reduce((sum, one) => sum + one.entries, 0);
  return entries === 0 ? ASSUMED_RECORD_BYTES : manifestBytes(manifest) / entries;
}
