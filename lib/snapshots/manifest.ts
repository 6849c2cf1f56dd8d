/**
 * A manifest: which segments make up a snapshot, and of what it is one. Immutable, created after its segments.
 *
 * Its bytes are one line `millrace-manifest <version> <crc-32c of the rest, 8 hex digits>` and then JSON, so that a person can
 * read it and a changed byte anywhere is noticed.
 *
 * Numbered invariants
 *   S1  a manifest at `nextOffset` N describes the fold of the changelog below N, on a transaction boundary; what was committed beyond may be in
 *       it (N2 of runtime/snapshot.ts), and its tail brings the rest. One of a restore in its midst stands at any offset below the last
 *       stable one, and may lack what was written again beyond N (R1 of runtime/restore-progress.ts): its tail brings that
 *   S2  segments stand oldest first; a later one overrides, key by key; base segments come first and do not overlap
 *   S3  `lastKnownEndAtMs` is a wall time at which N was seen to be the end of the changelog, or from which on a delete beyond N is in the log
 *       for `delete.retention.ms` at least (R2 there); it only grows, by a new manifest
 */
import type { Host } from '../host/host.js';
import { SnapshotCorruptedError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { TopicPartition } from '../model/topic-partition.js';
import { isSegmentReference, segmentFromJson, segmentToJson } from './manifest-segments.js';
import type { SegmentReference } from './segment-format.js';

/** Version of the format; a reader refuses those that it does not know. */
export const MANIFEST_VERSION = 1;

/** Whose snapshot it is: one partition of one store, for one life of the changelog topic. */
export interface SnapshotIdentity {
  readonly applicationId: string;
  readonly taskId: TaskId;
  readonly store: string;
  /** The changelog's topic id (KIP-516): another one after the topic was deleted and created again. */
  readonly topicId: string;
}

export interface Manifest extends SnapshotIdentity {
  readonly formatVersion: number;
  readonly changelog: TopicPartition;
  /** First changelog offset that is not part of the snapshot (S1). */
  readonly nextOffset: Offset;
  /** T (S3), wall-clock milliseconds. */
  readonly lastKnownEndAtMs: number;
  /** Who wrote it; unique for each manifest. */
  readonly writer: string;
  /** Of the user code that builds the store, where a processor of theirs does (global stores); else null. */
  readonly fingerprint: string | null;
  /** S2; none for an empty store. */
  readonly segments: readonly SegmentReference[];
}

/** The bytes of a manifest. */
export function encodeManifest(host: Pick<Host, 'digest'>, manifest: Manifest): Uint8Array {
  const body = Buffer.from(JSON.stringify({ ...manifest, segments: manifest.segments.map(segmentToJson) }, null, 1));
  return Buffer.concat([Buffer.from(`${headerOf(host, manifest.formatVersion, body)}\n`), body]);
}

/**
 * Reads a manifest back.
 *
 * @param name of the object, for the error
 * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if a byte was changed, the version is unknown or a field is wrong
 */
export function decodeManifest(host: Pick<Host, 'digest'>, name: string, bytes: Uint8Array): Manifest {
  const newline = bytes.indexOf(0x0a);
  const header = Buffer.from(bytes.subarray(0, Math.max(0, newline))).toString('latin1');
  const body = bytes.subarray(newline + 1);
  const version = Number(/^millrace-manifest (\d{1,4}) [0-9a-f]{8}$/.exec(header)?.[1] ?? Number.NaN);
  if (header !== headerOf(host, version, body)) return corrupted(name, 'it does not have its checksum');
  if (version !== MANIFEST_VERSION) return corrupted(name, `version ${version} is unknown here`);
  const parsed = parseJson(body);
  if (!isManifestJson(parsed)) return corrupted(name, 'a field is missing or wrong');
  return { ...parsed, segments: parsed.segments.map(segmentFromJson) };
}

/** The same snapshot, known to be the end of the changelog at `lastKnownEndAtMs` as well (never earlier than before: S3). */
export function restamp(manifest: Manifest, lastKnownEndAtMs: number, writer: string): Manifest {
  return { ...manifest, lastKnownEndAtMs: Math.max(manifest.lastKnownEndAtMs, Math.floor(lastKnownEndAtMs)), writer };
}

/** Whether a manifest is of this store and this life of its changelog. */
export function hasIdentity(manifest: Manifest, identity: SnapshotIdentity): boolean {
  return (
    manifest.applicationId === identity.applicationId &&
    manifest.taskId === identity.taskId &&
    manifest.store === identity.store &&
    manifest.topicId === identity.topicId
  );
}

function headerOf(host: Pick<Host, 'digest'>, version: number, body: Uint8Array): string {
  return `millrace-manifest ${version} ${host.digest.crc32c(body).toString(16).padStart(8, '0')}`;
}

function corrupted(name: string, what: string): never {
  throw new SnapshotCorruptedError(`${name}: ${what}`, { details: { object: name } });
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return null; // as wrong as any other value that is no manifest
  }
}

type ManifestJson = Omit<Manifest, 'segments'> & { readonly segments: readonly ReturnType<typeof segmentToJson>[] };

function isManifestJson(value: unknown): value is ManifestJson {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  const texts = ['applicationId', 'taskId', 'store', 'topicId', 'writer'];
  return (
    texts.every((name) => typeof fields[name] === 'string') &&
    fields.formatVersion === MANIFEST_VERSION &&
    [fields.nextOffset, fields.lastKnownEndAtMs].every(
      (number) => Number.isSafeInteger(number) && Number(number) >= 0,
    ) &&
    (fields.fingerprint === null || typeof fields.fingerprint === 'string') &&
    isTopicPartition(fields.changelog) &&
    Array.isArray(fields.segments) &&
    fields.segments.every(isSegmentReference)
  );
}

function isTopicPartition(value: unknown): boolean {
  const { topic, partition } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof topic === 'string' && Number.isSafeInteger(partition);
}
