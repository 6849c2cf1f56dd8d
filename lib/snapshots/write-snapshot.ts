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
import { type MergeSource, mergeSources } from './merge.js';
import { basesOf, deltasAfter, deltasOf, isWholeMerge, planMerge } from './merge-plan.js';
import { MergingSegments } from './merging-segments.js';
import type { SegmentReference, SnapshotEntry } from './segment-format.js';
import type { EncodedSegment, SegmentSizes } from './segment-writer.js';
import { manifestName, segmentName } from './snapshot-names.js';
import type { SnapshotStore } from './snapshot-store.js';

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
  /** Bytes of old segments that are merged at most (P1 of merge-plan.ts); absent: as there. */
  readonly mergeStepBytes?: number;
  readonly signal?: AbortSignal;
}

export interface WrittenSnapshot {
  readonly name: string;
  readonly manifest: Manifest;
}

/**
 * Writes a snapshot: whole, or as a delta to another, with a bounded part of that one merged anew where deltas have grown (merge-plan.ts).
 *
 * @throws {InternalError} STREAMS_INTERNAL if entries are out of order, or the base is of another store or newer ·
 *   {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if a part of the base has to be merged and is broken: write a whole one ·
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
  return publishNew(request, writer, await putDelta(request, base, encoded, put));
}

/** The segments of a snapshot that adds a delta to its base. */
async function putDelta(
  request: WriteSnapshot,
  { segments }: Manifest,
  delta: readonly EncodedSegment[],
  put: SegmentPutter,
): Promise<readonly SegmentReference[]> {
  const { host, sizes, mergeStepBytes } = request;
  const newBytes = delta.reduce((sum, { reference }) => sum + reference.sizeBytes, 0);
  const plan = planMerge(segments, newBytes, mergeStepBytes);
  const [bases, deltas] = [basesOf(segments), deltasOf(segments)];
  const merging = new MergingSegments(request);
  const anew = async (sources: readonly MergeSource[], level: SegmentReference['level']) => {
    const isWhole = level === 'base';
    return put(encodeStream(host, mergeSources(sources, !isWhole), { isWhole, sizes }), level);
  };

  let written = bases;
  let left = deltas;
  if (plan.base !== null) {
    const { first, end } = plan.base;
    const pieces = await merging.inStore(bases.slice(first, end));
    const changes = await merging.ofRange([...deltas], delta, plan.base);
    const merged = await anew([...pieces, ...changes], 'base');
    written = [...bases.slice(0, first), ...merged, ...bases.slice(end)];
    left = deltasAfter(deltas, plan.base);
    if (isWholeMerge(plan)) return written;
  }
  if (plan.deltas === 0) return [...written, ...left, ...(await put(delta, 'delta'))];
  const kept = left.slice(0, left.length - plan.deltas);
  const together = [...(await merging.inStore(left.slice(-plan.deltas))), ...(await merging.inMemory(delta))];
  return [...written, ...kept, ...(await anew(together, 'delta'))];
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
  let number = 0;
  return async (segments, level) => {
    const references: SegmentReference[] = [];
    for await (const { bytes, reference } of segments) {
      if (signal?.aborted === true) throw new AbortedError('a snapshot was given up', { cause: signal.reason });
      const name = segmentName({ ...identity, nextOffset, writer, number });
      number += 1;
      if (!(await store.create(name, bytes))) throw nameTaken(name);
      references.push({ ...reference, name, level });
    }
    return references;
  };
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
