import type { SnapshotIdentity } from './manifest.js';
import { type ManifestName, parseManifestName, snapshotPrefix } from './snapshot-names.js';
import type { SnapshotStore } from './snapshot-store.js';

/**
 * The newest manifests of a store by their names, newest first, without opening them: where the snapshots stand.
 *
 * @param limit the most manifests to name
 */
export async function listManifests(
  store: Pick<SnapshotStore, 'list'>,
  identity: SnapshotIdentity,
  limit: number,
): Promise<readonly ManifestName[]> {
  const prefix = snapshotPrefix(identity);
  const objects = await store.list(prefix, { limit });
  return objects.map(({ name }) => parseManifestName(prefix, name)).filter((parsed) => parsed !== null);
}
