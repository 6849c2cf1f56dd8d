import type { Host } from '../host/host.js';
import { SnapshotCorruptedError } from '../model/errors.js';
import { listManifests } from './list-manifests.js';
import { decodeManifest, hasIdentity, type Manifest, type SnapshotIdentity } from './manifest.js';
import { mergeSources, sourceOfSegment } from './merge.js';
import type { SnapshotEntry } from './segment-format.js';
import { openSegment, type SegmentReader } from './segment-reader.js';
import { type ManifestName, storePrefix } from './snapshot-names.js';
import type { SnapshotStore } from './snapshot-store.js';
import { type LogBounds, type RefusalReason, refusalByPosition } from './usability.js';

/** Manifests looked at by name, newest first. */
const MAX_LISTED = 1_000;
/** Manifests opened before the log is used instead. */
const MAX_OPENED = 16;

export interface OpenSnapshot {
  /** Of the manifest. */
  readonly name: string;
  readonly manifest: Manifest;
  /**
   * All entries in order of their keys, without deletes. Values are views of larger buffers: copy what lives long.
   *
   * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED naming object and block: drop what was read, then open again
   *   with this name in `givenUp`
   */
  read(): AsyncIterable<SnapshotEntry>;
  /** The same in batches: no promise for each entry. */
  readBatches(): AsyncIterable<readonly SnapshotEntry[]>;
}

export interface RefusedSnapshot {
  readonly name: string;
  readonly reason: RefusalReason;
  readonly cause?: unknown;
}

export interface SnapshotOpening {
  /** Null: restore from the start of the log. */
  readonly snapshot: OpenSnapshot | null;
  /** Why each newer candidate was refused, newest first; empty where the newest is used or there is none. */
  readonly reasons: readonly RefusalReason[];
  readonly refused: readonly RefusedSnapshot[];
}

export interface OpenNewestSnapshot extends LogBounds {
  readonly store: Pick<SnapshotStore, 'list' | 'read'>;
  readonly host: Pick<Host, 'codec' | 'digest' | 'logger' | 'metrics'>;
  readonly identity: SnapshotIdentity;
  /** Of the user code that builds the store (global stores); snapshots of other code are refused. */
  readonly fingerprint?: string;
  /**
   * Whether every block is checked before the snapshot is offered (default), so that a flipped byte falls back to the snapshot
   * before; with false only manifest and indices are, and reading may still throw.
   */
  readonly verifyBlocks?: boolean;
  /** Names of manifests that the caller has given up. */
  readonly givenUp?: ReadonlySet<string>;
}

/**
 * Opens the newest snapshot that may be used: from newest to older to none. Each refusal is logged and counted
 * (`snapshots-refused`).
 *
 * @throws {UnavailableError} STREAMS_UNAVAILABLE if the store does not answer; damaged objects are refusals, no errors
 */
export async function openNewestSnapshot(request: OpenNewestSnapshot): Promise<SnapshotOpening> {
  const refused: RefusedSnapshot[] = [];
  const refuse = (refusal: RefusedSnapshot) => {
    refused.push(refusal);
    report(request, refusal);
  };
  const candidates = await listManifests(request.store, request.identity, MAX_LISTED);
  if (candidates.length === 0) await reportEarlierLife(request, refuse);

  let opened = 0;
  for (const candidate of candidates) {
    const reason = refusalByName(candidate, request);
    if (reason !== null) {
      refuse({ name: candidate.name, reason });
      continue;
    }
    opened += 1;
    if (opened > MAX_OPENED) break;
    const result = await openCandidate(candidate, request);
    if ('manifest' in result) return { snapshot: result, ...asReasons(refused) };
    refuse(result);
  }
  return { snapshot: null, ...asReasons(refused) };
}

function asReasons(refused: readonly RefusedSnapshot[]): Pick<SnapshotOpening, 'reasons' | 'refused'> {
  return { reasons: refused.map((one) => one.reason), refused };
}

function refusalByName(candidate: ManifestName, request: OpenNewestSnapshot): RefusalReason | null {
  return request.givenUp?.has(candidate.name) === true ? 'given-up' : refusalByPosition(candidate, request);
}

async function openCandidate(
  candidate: ManifestName,
  request: OpenNewestSnapshot,
): Promise<OpenSnapshot | RefusedSnapshot> {
  const { name } = candidate;
  const { store, host, identity } = request;
  let reason: RefusalReason = 'corrupt-manifest';
  try {
    const manifest = await readManifest(store, host, name);
    if (manifest.nextOffset !== candidate.nextOffset || manifest.lastKnownEndAtMs !== candidate.lastKnownEndAtMs) {
      return { name, reason };
    }
    if (!hasIdentity(manifest, identity)) return { name, reason };
    if (request.fingerprint !== undefined && manifest.fingerprint !== request.fingerprint) {
      return { name, reason: 'other-fingerprint' };
    }
    reason = 'corrupt-segment';
    const segments: SegmentReader[] = [];
    for (const reference of manifest.segments) segments.push(await openSegment(store, host, reference));
    if (request.verifyBlocks !== false) for (const segment of segments) await segment.verify();
    return openedSnapshot(name, manifest, segments);
  } catch (cause) {
    if (cause instanceof SnapshotCorruptedError) return { name, reason, cause };
    throw cause;
  }
}

/**
 * Reads one manifest.
 *
 * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if it is missing or broken
 */
export async function readManifest(
  store: Pick<SnapshotStore, 'read'>,
  host: Pick<Host, 'digest'>,
  name: string,
): Promise<Manifest> {
  const bytes = await store.read(name);
  if (bytes === null) throw new SnapshotCorruptedError(`${name}: the object is missing`, { details: { object: name } });
  return decodeManifest(host, name, bytes);
}

function openedSnapshot(name: string, manifest: Manifest, segments: readonly SegmentReader[]): OpenSnapshot {
  const readBatches = () => mergeSources(segments.map(sourceOfSegment));
  return {
    name,
    manifest,
    readBatches,
    async *read() {
      for await (const batch of readBatches()) yield* batch;
    },
  };
}

/** No snapshot of this life of the topic: says so if there is one of an earlier life. */
async function reportEarlierLife(
  { store, identity }: OpenNewestSnapshot,
  refuse: (refusal: RefusedSnapshot) => void,
): Promise<void> {
  const [other] = await store.list(storePrefix(identity), { limit: 1 });
  if (other !== undefined) refuse({ name: other.name, reason: 'topic-recreated' });
}

function report({ host, identity }: OpenNewestSnapshot, { name, reason, cause }: RefusedSnapshot): void {
  const { taskId, store } = identity;
  const isDamage = reason === 'corrupt-manifest' || reason === 'corrupt-segment';
  const fields = { taskId, store, snapshot: name, reason, ...(cause === undefined ? {} : { error: cause }) };
  if (isDamage) host.logger.warn('snapshot-refused', fields);
  else host.logger.info('snapshot-refused', fields);
  host.metrics.count('snapshots-refused', 1, { taskId, store, reason });
}
