/**
 * Every snapshot opens, unless a fault has damaged it, and is what was committed to its changelog below its offset. Keys that
 * were written again before it was published may have the later value (N2 of runtime/snapshot.ts) or, where compaction has left
 * out what a follower would have read, one from before or none: its tail brings them. So may windows that are past: what came too
 * late for them is in the changelog alone. No value is one that was never committed.
 */
import { SnapshotCorruptedError } from '../../../model/errors.js';
import type { Offset } from '../../../model/offset.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { Manifest } from '../../../snapshots/manifest.js';
import { mergeSources, sourceOfSegment } from '../../../snapshots/merge.js';
import { readManifest } from '../../../snapshots/open-snapshot.js';
import { openSegment } from '../../../snapshots/segment-reader.js';
import { storePrefix } from '../../../snapshots/snapshot-names.js';
import type { TaskChangelog, TaskSpec } from '../../../topology/resolve-partitions.js';
import type { Cloud } from '../cloud.js';
import type { SeenRecord } from '../committed-log.js';
import type { CheckedRun, Checker } from './checker.js';
import { isManifest, PublishedEnds } from './published-ends.js';
import { type StoreContent, storeEntry } from './store-contents.js';
import { type StoreTimes, storeTimes } from './store-times.js';

/** Snapshots of one store that are opened, the newest: in a run there are some ten. */
const OPENED_MOST = 20;

export const snapshotsEqualChangelog: Checker = {
  name: 'snapshots-equal-changelog',
  watch(run) {
    const { cloud, witness } = run;
    const ends = new PublishedEnds(run);
    const damaged = new Set<unknown>();
    const stores = witness.map.tasks.flatMap((task) => task.changelogs.map((changelog) => ({ task, changelog })));
    cloud.timeline.listen(({ who, fields }) => {
      if (who === 'fault' && fields.name !== undefined) damaged.add(fields.name);
    });
    return {
      async ended() {
        for (const { task, changelog } of stores)
          if (changelog.internal && !cloud.harms.partitions.has(topicPartitionKey(changelog)))
            await checkStore(run, task, changelog, ends, damaged);
      },
    };
  },
};

function prefixOf({ app }: Cloud, { taskId }: TaskSpec, { store }: TaskChangelog): string {
  return storePrefix({ applicationId: app.applicationId, taskId, store });
}

async function checkStore(
  { cloud, witness, wrong }: CheckedRun,
  task: TaskSpec,
  changelog: TaskChangelog,
  ends: PublishedEnds,
  damaged: ReadonlySet<unknown>,
): Promise<void> {
  const key = topicPartitionKey(changelog);
  const records = witness.committed.records(key);
  const history = historyOf(records);
  const spec = cloud.app.topology.stores.get(changelog.store);
  const objects = await cloud.snapshots.list(prefixOf(cloud, task, changelog));
  const manifests = objects.filter(({ name }) => isManifest(name)).slice(0, OPENED_MOST);
  for (const { name } of manifests) {
    const publishedEnd = await ends.ofManifest(name);
    if (publishedEnd === null) continue;
    const opened = await open(cloud, name, damaged);
    if (typeof opened === 'string') wrong(opened);
    else if (opened !== null) {
      const times = storeTimes(
        spec,
        records.filter(({ offset }) => offset < publishedEnd),
      );
      const what = differs(opened.content, history, opened.manifest.nextOffset, publishedEnd, times);
      if (what !== null) wrong(`${name}: ${what}`);
    }
  }
}

interface OpenedSnapshot {
  readonly manifest: Manifest;
  readonly content: StoreContent;
}

/** @returns null: a fault has damaged it, and it says so · words: it does not open, and nobody has damaged it */
async function open(
  { snapshots, host }: Cloud,
  name: string,
  damaged: ReadonlySet<unknown>,
): Promise<OpenedSnapshot | string | null> {
  let isDamaged = damaged.has(name);
  try {
    const manifest = await readManifest(snapshots, host, name);
    isDamaged ||= manifest.segments.some((segment) => damaged.has(segment.name));
    const segments = await Promise.all(manifest.segments.map((segment) => openSegment(snapshots, host, segment)));
    const content = new Map<string, string>();
    for await (const batch of mergeSources(segments.map(sourceOfSegment)))
      for (const { key, value, timestampMs } of batch)
        if (value !== null) content.set(key, storeEntry(timestampMs, value));
    return { manifest, content };
  } catch (thrown) {
    if (!(thrown instanceof SnapshotCorruptedError)) throw thrown;
    return isDamaged ? null : `it does not open, though nobody has damaged it: ${thrown.message}`;
  }
}

/** By key: all that was ever committed, in order; null deletes. */
type History = ReadonlyMap<string, readonly { readonly offset: Offset; readonly entry: string | null }[]>;

function historyOf(records: readonly SeenRecord[]): History {
  const history = new Map<string, { offset: Offset; entry: string | null }[]>();
  for (const { key, value, offset, timestampMs } of records) {
    if (key === null) continue;
    const of = history.get(key) ?? [];
    history.set(key, of);
    of.push({ offset, entry: value === null ? null : storeEntry(timestampMs, Buffer.from(value, 'latin1')) });
  }
  return history;
}

/** What is wrong with the content of a snapshot, in words; null: nothing. */
function differs(
  content: StoreContent,
  history: History,
  nextOffset: Offset,
  publishedEnd: Offset,
  times: StoreTimes,
): string | null {
  for (const key of content.keys()) if (!history.has(key)) return `'${key}' was never written to its changelog`;
  for (const [key, records] of history) {
    const seen = content.get(key) ?? null;
    const known = records.filter(({ offset }) => offset < publishedEnd);
    const last = known.filter(({ offset }) => offset < nextOffset).at(-1)?.entry ?? null;
    const isPast = times.isPast(key);
    if (seen === last || (seen === null && isPast)) continue;
    const isWrittenAgain = known.some(({ offset }) => offset >= nextOffset);
    if (!isWrittenAgain && !isPast)
      return `'${key}' is ${said(seen)} instead of ${said(last)}, as the changelog below ${nextOffset} has it`;
    if (seen !== null && !known.some(({ entry }) => entry === seen))
      return `'${key}' is ${said(seen)}, which nobody had committed by ${publishedEnd}`;
  }
  return null;
}

function said(entry: string | null): string {
  return entry === null ? 'absent' : JSON.stringify(entry);
}
