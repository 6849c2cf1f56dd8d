/**
 * Removes what no reader needs. Anyone may run it, several at once: removing twice is no error.
 *
 * Numbered invariants
 *   G1  the newest `keepSnapshots` readable snapshots stay, whatever their age; a re-stamped one counts once
 *   G2  a segment goes only if no manifest that stays names it and it is older than the safe age: a writer may be about to
 *       publish the manifest that does
 *   G3  a manifest goes only if it is older than the safe age; manifests go before segments, so that one that stands has its
 *       segments
 *   G4  where a manifest can't be read, nothing is known of what it names, and its own bytes stay for the safe age; it never
 *       counts as kept
 */
import type { Host } from '../host/host.js';
import { SnapshotCorruptedError } from '../model/errors.js';
import type { Manifest, SnapshotIdentity } from './manifest.js';
import { readManifest } from './open-snapshot.js';
import { parseManifestName, segmentPrefix, snapshotPrefix } from './snapshot-names.js';
import type { ObjectEntry, SnapshotStore } from './snapshot-store.js';

/** Snapshots kept unless told otherwise. */
export const DEFAULT_SNAPSHOTS_KEPT = 3;
/** Safe age unless told otherwise: longer than any function runs. */
export const DEFAULT_SAFE_AGE_MS = 3_600_000;

/** Objects of one kind looked at in one run; the next run sees the rest. Segments wait until all manifests fit into one. */
const MAX_OBJECTS = 10_000;

export interface CollectGarbage {
  readonly store: SnapshotStore;
  readonly host: Pick<Host, 'digest'>;
  readonly identity: SnapshotIdentity;
  readonly nowMs: number;
  /** At least 1. */
  readonly keepSnapshots?: number;
  readonly safeAgeMs?: number;
}

/** Removes manifests and segments of one life of a changelog, and answers the names of what it removed. */
export async function collectGarbage(request: CollectGarbage): Promise<readonly string[]> {
  const { store, identity, nowMs, safeAgeMs = DEFAULT_SAFE_AGE_MS } = request;
  const isOld = (object: ObjectEntry) => nowMs - object.modifiedAtMs > safeAgeMs;
  const prefix = snapshotPrefix(identity);
  // Segments first: one that is written after this line is not in the list, whatever manifest names it.
  const segments = await store.list(segmentPrefix(identity), { limit: MAX_OBJECTS });
  const objects = await store.list(prefix, { limit: MAX_OBJECTS });
  const manifests = objects.filter(({ name }) => parseManifestName(prefix, name) !== null);

  const { superseded, named } = await sortOut(request, manifests, isOld);
  const areAllSeen = manifests.length < MAX_OBJECTS;
  const unnamed = segments.filter((segment) => areAllSeen && isOld(segment) && !named.has(segment.name));
  const garbage = [...superseded, ...unnamed].map(({ name }) => name);
  for (const name of garbage) await store.remove(name);
  return garbage;
}

/** Manifests that go, and the segments that those that stay name. */
async function sortOut(
  { store, host, keepSnapshots = DEFAULT_SNAPSHOTS_KEPT }: CollectGarbage,
  manifests: readonly ObjectEntry[],
  isOld: (object: ObjectEntry) => boolean,
): Promise<{ superseded: readonly ObjectEntry[]; named: ReadonlySet<string> }> {
  const superseded: ObjectEntry[] = [];
  const named = new Set<string>();
  const kept = new Set<string>();
  for (const object of manifests) {
    const manifest = await readOrNull(store, host, object.name);
    const content = manifest === null ? null : contentOf(manifest);
    const isKept = content !== null && !kept.has(content) && kept.size < Math.max(1, keepSnapshots);
    if (isKept) kept.add(content);
    if (isKept || !isOld(object)) for (const segment of manifest?.segments ?? []) named.add(segment.name);
    else superseded.push(object);
  }
  return { superseded, named };
}

/** Manifests of one content differ only in T. */
function contentOf(manifest: Manifest): string {
  return JSON.stringify([manifest.nextOffset, manifest.segments.map((segment) => segment.name)]);
}

async function readOrNull(
  store: Pick<SnapshotStore, 'read'>,
  host: Pick<Host, 'digest'>,
  name: string,
): Promise<Manifest | null> {
  try {
    return await readManifest(store, host, name);
  } catch (cause) {
    if (cause instanceof SnapshotCorruptedError) return null;
    throw cause;
  }
}
