/**
 * Writing snapshots. The order is the proof: segments first, the manifest last and only if there is none of its name. A writer
 * that dies on the way leaves segments that no manifest names, and garbage collection takes them.
 */
import type { Host } from '../host/host.js';
import { AbortedError, InternalError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { TopicPartition } from '../model/topic-partition.js';
import { encodeAll, encodeStream, inBatches } from './encode-segments.js';
import {
  encodeManifest,
  hasIdentity,
  MANIFEST_VERSION,
  type Manifest,
  restamp,
  type SnapshotIdentity,
} from './manifest.js';
import { mergeSources, sourceOfSegment } from './merge.js';
import type { SegmentReference, SnapshotEntry } from './segment-format.js';
import { openSegment } from './segment-reader.js';
import type { EncodedSegment, SegmentSizes } from './segment-writer.js';
import { manifestName, segmentName } from './snapshot-names.js';
import type { SnapshotStore } from './snapshot-store.js';

/** Delta segments of a manifest; the next delta is merged with all of them into a new base. */
export const MAX_DELTA_SEGMENTS = 8;
/** Bytes of deltas as a part of the base; above it the next delta is merged. */
export const MAX_DELTA_PART = 0.5;

export interface WriteSnapshot {
  readonly store: SnapshotStore;
  readonly host: Pick<Host, 'codec' | 'digest' | 'random'>;
  readonly identity: SnapshotIdentity;
  readonly changelog: TopicPartition;
  /** Who writes, for the reader of names; made unique here. */
  readonly writer: string;
  /** First changelog offset that the snapshot does not contain; on a transaction boundary. */
  readonly nextOffset: Offset;
  /**
   * T: wall clock just before `nextOffset` was read as the end of the log. A position that was never seen as the end has none:
   * 0, and the snapshot is usable only while it is the end.
   */
  readonly lastKnownEndAtMs: number;
  /**
   * In order of their keys. A synchronous iterable is read to its end before the first promise, so that the store may be
   * written again as soon as this function has returned its own.
   */
  readonly entries: Iterable<SnapshotEntry> | AsyncIterable<SnapshotEntry>;
  /** Present: `entries` are what changed since this snapshot (null deletes). Absent: they are the whole store. */
  readonly base?: Manifest;
  readonly fingerprint?: string;
  readonly sizes?: SegmentSizes;
  readonly signal?: AbortSignal;
}

export interface WrittenSnapshot {
  readonly name: string;
  readonly manifest: Manifest;
}

/**
 * Writes a snapshot: whole, or as a delta to another, which is merged into a new base when the deltas have grown.
 *
 * @throws {InternalError} STREAMS_INTERNAL if entries are out of order, or the base is of another store or newer ·
 *   {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if the base has to be merged and is broken: write a whole one ·
 *   {UnavailableError} STREAMS_UNAVAILABLE · {AbortedError} STREAMS_ABORTED, with nothing published
 */
export async function writeSnapshot(request: WriteSnapshot): Promise<WrittenSnapshot> {
  const { host, base, entries, sizes } = request;
  checkBase(request);
  const isWhole = base === undefined || base.segments.length === 0;
  const writer = uniqueWriter(request);
  const put = segmentCreator(request, writer);

  if (Symbol.asyncIterator in entries && isWhole) {
    return publishNew(request, writer, await put(encodeStream(host, inBatches(entries), { isWhole, sizes }), 'base'));
  }
  const encoded =
    Symbol.asyncIterator in entries
      ? await collect(encodeStream(host, inBatches(entries), { isWhole, sizes }))
      : encodeAll(host, entries, { isWhole, sizes });
  if (isWhole) return publishNew(request, writer, await put(encoded, 'base'));
  if (needsMerge(base, encoded)) {
    const merged = encodeStream(host, await mergeWithBase(request, base, encoded), { isWhole: true, sizes });
    return publishNew(request, writer, await put(merged, 'base'));
  }
  return publishNew(request, writer, [...base.segments, ...(await put(encoded, 'delta'))]);
}

/**
 * Says that a snapshot is the end of its changelog at a later time as well: a new manifest of the same segments.
 *
 * @returns the manifest as it was where it knows of that time already
 */
export async function restampSnapshot(request: {
  readonly store: Pick<SnapshotStore, 'create'>;
  readonly host: Pick<Host, 'digest' | 'random'>;
  readonly manifest: Manifest;
  readonly writer: string;
  readonly lastKnownEndAtMs: number;
}): Promise<WrittenSnapshot> {
  const { manifest, lastKnownEndAtMs } = request;
  if (Math.floor(lastKnownEndAtMs) <= manifest.lastKnownEndAtMs) return { name: manifestName(manifest), manifest };
  return publish(request, restamp(manifest, lastKnownEndAtMs, uniqueWriter(request)));
}

/** Whether a delta goes into a new base instead of beside the old one. */
export function needsMerge(base: Manifest, delta: readonly Pick<EncodedSegment, 'reference'>[]): boolean {
  const deltas = base.segments.filter((segment) => segment.level === 'delta');
  const sizeOf = (segments: readonly { readonly sizeBytes: number }[]) =>
    segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
  const deltaBytes = sizeOf(deltas) + sizeOf(delta.map((segment) => segment.reference));
  const baseBytes = sizeOf(base.segments) - sizeOf(deltas);
  return deltas.length + delta.length > MAX_DELTA_SEGMENTS || deltaBytes > baseBytes * MAX_DELTA_PART;
}

function checkBase({ base, identity, nextOffset }: WriteSnapshot): void {
  if (base === undefined) return;
  if (hasIdentity(base, identity) && base.nextOffset <= nextOffset) return;
  throw new InternalError('a delta does not fit its base', {
    details: { store: identity.store, taskId: identity.taskId, baseOffset: base.nextOffset, nextOffset },
  });
}

function uniqueWriter({ writer, host }: { readonly writer: string; readonly host: Pick<Host, 'random'> }): string {
  return `${writer}.${host.random.id()}`;
}

type SegmentPutter = (
  segments: Iterable<EncodedSegment> | AsyncIterable<EncodedSegment>,
  level: SegmentReference['level'],
) => Promise<readonly SegmentReference[]>;

function segmentCreator({ store, identity, nextOffset, signal }: WriteSnapshot, writer: string): SegmentPutter {
  return async (segments, level) => {
    const references: SegmentReference[] = [];
    for await (const { bytes, reference } of segments) {
      if (signal?.aborted === true) throw new AbortedError('a snapshot was given up', { cause: signal.reason });
      const name = segmentName({ ...identity, nextOffset, writer, number: references.length });
      if (!(await store.create(name, bytes))) throw nameTaken(name);
      references.push({ ...reference, name, level });
    }
    return references;
  };
}

async function mergeWithBase({ store, host }: WriteSnapshot, base: Manifest, delta: readonly EncodedSegment[]) {
  const inMemory = delta.map(({ bytes, reference }) =>
    openSegment({ read: async (_name, range) => bytes.subarray(range?.from, range?.to) }, host, {
      ...reference,
      name: 'the delta',
      level: 'delta',
    }),
  );
  const inStore = base.segments.map((reference) => openSegment(store, host, reference));
  const readers = await Promise.all([...inStore, ...inMemory]);
  return mergeSources(readers.map(sourceOfSegment));
}

function publishNew(
  request: WriteSnapshot,
  writer: string,
  segments: readonly SegmentReference[],
): Promise<WrittenSnapshot> {
  const { identity, changelog, nextOffset, lastKnownEndAtMs, fingerprint } = request;
  const { applicationId, taskId, store, topicId } = identity;
  const { topic, partition } = changelog;
  return publish(request, {
    formatVersion: MANIFEST_VERSION,
    applicationId,
    taskId,
    store,
    topicId,
    changelog: { topic, partition },
    nextOffset,
    lastKnownEndAtMs: Math.floor(lastKnownEndAtMs),
    writer,
    fingerprint: fingerprint ?? null,
    segments,
  });
}

async function publish(
  {
    store,
    host,
    signal,
  }: {
    readonly store: Pick<SnapshotStore, 'create'>;
    readonly host: Pick<Host, 'digest'>;
    readonly signal?: AbortSignal;
  },
  manifest: Manifest,
): Promise<WrittenSnapshot> {
  if (signal?.aborted === true) throw new AbortedError('a snapshot was given up', { cause: signal.reason });
  const name = manifestName(manifest);
  if (!(await store.create(name, encodeManifest(host, manifest)))) throw nameTaken(name);
  return { name, manifest };
}

function nameTaken(name: string): InternalError {
  return new InternalError(`${name} exists, though its name was made unique`, { details: { object: name } });
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
