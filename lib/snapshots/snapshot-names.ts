/**
 * Where the objects of a store's snapshots lie.
 *
 * ```
 *   <application id>/<task id>/<store>/<topic id>/<inverted offset>/<inverted T>-<writer>.manifest
 *   <application id>/<task id>/<store>/<topic id>/segments/<inverted offset>-<writer>-<number>.segment
 * ```
 *
 * An inverted number is 2^53 − 1 minus it, in 16 digits: names in order of their bytes are manifests by offset, then by T,
 * newest first. So the first name of a listing is the newest snapshot, there is no pointer that a stale writer could set back,
 * and its late manifest just sorts behind. `segments` sorts after every digit.
 */
import { type Offset, offset } from '../model/offset.js';
import type { SnapshotIdentity } from './manifest.js';
import { nameSegment } from './object-name.js';

const DIGITS = 16;
const SUFFIX = '.manifest';

/** What the name of a manifest says. */
export interface ManifestName {
  readonly name: string;
  readonly nextOffset: Offset;
  readonly lastKnownEndAtMs: number;
}

/** Before all snapshots of a store, of every life of its changelog. */
export function storePrefix({ applicationId, taskId, store }: Omit<SnapshotIdentity, 'topicId'>): string {
  return `${[applicationId, taskId, store].map(nameSegment).join('/')}/`;
}

/** Before all manifests and segments of one life of the changelog. */
export function snapshotPrefix(identity: SnapshotIdentity): string {
  return `${storePrefix(identity)}${nameSegment(identity.topicId)}/`;
}

/** Before all segments of one life of the changelog. */
export function segmentPrefix(identity: SnapshotIdentity): string {
  return `${snapshotPrefix(identity)}segments/`;
}

export function manifestName(
  of: SnapshotIdentity & { readonly nextOffset: Offset; readonly lastKnownEndAtMs: number; readonly writer: string },
): string {
  const stamp = `${inverted(of.lastKnownEndAtMs)}-${nameSegment(of.writer)}`;
  return `${snapshotPrefix(of)}${inverted(of.nextOffset)}/${stamp}${SUFFIX}`;
}

export function segmentName(
  of: SnapshotIdentity & { readonly nextOffset: Offset; readonly writer: string; readonly number: number },
): string {
  return `${segmentPrefix(of)}${inverted(of.nextOffset)}-${nameSegment(of.writer)}-${of.number}.segment`;
}

/** Reads the name of a manifest below `prefix` (from `snapshotPrefix`); null for any other object. */
export function parseManifestName(prefix: string, name: string): ManifestName | null {
  if (!name.startsWith(prefix)) return null;
  const match = /^(\d{16})\/(\d{16})-[^/]+\.manifest$/.exec(name.slice(prefix.length));
  const [nextOffset, lastKnownEndAtMs] = [
    Number.MAX_SAFE_INTEGER - Number(match?.[1]),
    Number.MAX_SAFE_INTEGER - Number(match?.[2]),
  ];
  if (match === null || nextOffset < 0 || lastKnownEndAtMs < 0) return null;
  return { name, nextOffset: offset(nextOffset), lastKnownEndAtMs };
}

function inverted(value: number): string {
  return String(Number.MAX_SAFE_INTEGER - Math.max(0, Math.floor(value))).padStart(DIGITS, '0');
}
