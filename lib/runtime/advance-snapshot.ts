/**
 * Advances one store's newest snapshot from its changelog.
 *
 * | the tail after the newest snapshot | what is done |
 * | --- | --- |
 * | empty | the time at which it was seen to be the end is stamped anew, if the old stamp has aged |
 * | short, and the stamp young | nothing |
 * | else | the tail is folded and written as a delta; `snapshots` merges deltas that have grown |
 * | no usable snapshot | the whole log is folded and written |
 *
 * Only the tail is held in memory, whatever the size of the store. What is built upon is checked block by block before: a delta
 * to a damaged base, or a new stamp on it, would only hide the damage from the next restore.
 */
import type { Logger } from '../host/host.js';
import { SnapshotCorruptedError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import { collectGarbage } from '../snapshots/collect-garbage.js';
import type { Manifest, SnapshotIdentity } from '../snapshots/manifest.js';
import { openNewestSnapshot } from '../snapshots/open-snapshot.js';
import type { SnapshotEntry } from '../snapshots/segment-format.js';
import { restampSnapshot, writeSnapshot } from '../snapshots/write-snapshot.js';
import { sourceChangelog } from '../task/source-changelog.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { createFollower } from './follower.js';
import {
  type ChangelogFacts,
  changelogFacts,
  emptyStore,
  loadStore,
  snapshotIdentity,
  storeSpec,
} from './load-store.js';
import type { RuntimePorts } from './ports.js';

/** A stamp is renewed, or a short tail written, when this part of delete.retention.ms has passed since it was made. */
const STAMP_AGE_PART = 0.25;

export interface AdvanceSnapshot {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'log' | 'snapshots' | 'host'>;
  readonly logger: Logger;
  readonly taskId: TaskId;
  readonly changelog: TaskChangelog;
  readonly signal?: AbortSignal;
}

export interface AdvanceResult {
  readonly did: 'nothing' | 'restamped' | 'wrote-delta' | 'wrote-whole';
  /** Where the newest snapshot stands now; null if there is none. */
  readonly nextOffset: Offset | null;
  /** The last stable offset as read at the beginning. */
  readonly endOffset: Offset;
}

/** @throws as `loadStore`, and {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED where even a whole one can not be written */
export async function advanceSnapshot(advance: AdvanceSnapshot): Promise<AdvanceResult> {
  const { app, ports, changelog } = advance;
  const facts = await changelogFacts(ports, changelog);
  const atMs = ports.host.clock.now();
  const end = await endOf(advance);
  const identity = snapshotIdentity({
    app,
    taskId: advance.taskId,
    storeName: changelog.store,
    topicId: facts.topicId,
  });
  const step = { ...advance, identity, facts, end, atMs };
  const newest = await newestManifest(step, { verifyBlocks: false });
  if (whatIsDue(step, newest) === 'nothing')
    return { did: 'nothing', nextOffset: newest?.nextOffset ?? null, endOffset: end };
  const base = await newestManifest(step, { verifyBlocks: true });
  if (base === null) return writeWhole(step);
  return whatIsDue(step, base) === 'stamp' ? stampAnew(step, base) : writeTail(step, base);
}

function whatIsDue({ app, facts, end, atMs }: Step, base: Manifest | null): 'nothing' | 'stamp' | 'write' {
  if (base === null) return end > facts.logStartOffset ? 'write' : 'nothing';
  const isStale = atMs - base.lastKnownEndAtMs >= facts.deleteRetentionMs * STAMP_AGE_PART;
  if (base.nextOffset >= end) return isStale ? 'stamp' : 'nothing';
  return isStale || end - base.nextOffset >= app.settings.snapshotMinRecords ? 'write' : 'nothing';
}

interface Step extends AdvanceSnapshot {
  readonly identity: SnapshotIdentity;
  readonly facts: ChangelogFacts;
  readonly end: Offset;
  /** Wall clock just before the end was read. */
  readonly atMs: number;
}

/** The last stable offset; for a source topic that serves as changelog, the committed input offset. */
async function endOf({ app, ports, changelog }: AdvanceSnapshot): Promise<Offset> {
  const at = { topic: changelog.topic, partition: changelog.partition };
  const key = topicPartitionKey(at);
  const found = changelog.internal
    ? (await ports.log.listOffsets([at], 'lastStable')).get(key)
    : (await ports.log.committedOffsets(app.applicationId, [at])).get(key)?.nextOffset;
  return found ?? (0 as Offset);
}

async function newestManifest(
  { ports, identity, facts, end: endOffset, atMs: nowMs }: Step,
  { verifyBlocks }: { readonly verifyBlocks: boolean },
): Promise<Manifest | null> {
  const { logStartOffset, deleteRetentionMs } = facts;
  const { snapshot } = await openNewestSnapshot({
    store: ports.snapshots,
    host: ports.host,
    identity,
    logStartOffset,
    endOffset,
    nowMs,
    deleteRetentionMs,
    verifyBlocks,
  });
  return snapshot?.manifest ?? null;
}

async function stampAnew({ ports, atMs, end }: Step, manifest: Manifest): Promise<AdvanceResult> {
  await restampSnapshot({
    store: ports.snapshots,
    host: ports.host,
    manifest,
    writer: 'standby',
    lastKnownEndAtMs: atMs,
  });
  return { did: 'restamped', nextOffset: manifest.nextOffset, endOffset: end };
}

async function writeTail(step: Step, base: Manifest): Promise<AdvanceResult> {
  const { app, ports, changelog, end, signal } = step;
  const spec = storeSpec(app, changelog.store);
  // What retention lets go, and which versions come too late, depends on all that came before: a tail alone does not tell it.
  if (spec.layout !== undefined) return writeWhole(step);
  const tail = emptyStore(spec);
  const follower = createFollower({
    log: ports.log,
    clock: ports.host.clock,
    store: tail,
    changelog: { topic: changelog.topic, partition: changelog.partition, topicId: step.facts.topicId },
    fromOffset: base.nextOffset,
    fetchMaxBytes: app.settings.fetchMaxBytes,
    trackChanges: true,
    source: sourceChangelog(app, changelog),
  });
  const stallTimeoutMs = app.settings.restoreStallTimeoutMs;
  await follower.followTo({ target: end, stallTimeoutMs, ...(signal === undefined ? {} : { signal }) });
  const { changedKeys } = follower;
  if (changedKeys === null) return writeWhole(step); // too many keys to tell them apart: then a delta saves nothing
  const entries: SnapshotEntry[] = [];
  for (const key of [...changedKeys].sort()) {
    const stored = await tail.get(key);
    entries.push({ key, value: stored?.value ?? null, timestampMs: stored?.timestampMs ?? 0 });
  }
  try {
    return await write(step, follower.position, entries, base);
  } catch (thrown) {
    if (!(thrown instanceof SnapshotCorruptedError)) throw thrown;
    step.logger.warn('snapshot-base-corrupt', { store: changelog.store, message: thrown.message });
    return writeWhole(step);
  }
}

async function writeWhole(step: Step): Promise<AdvanceResult> {
  const { app, ports, logger, taskId, changelog, end, signal } = step;
  const { store, follower } = await loadStore({
    app,
    ports,
    logger,
    taskId,
    storeName: changelog.store,
    changelog: { topic: changelog.topic, partition: changelog.partition },
    target: end,
    exact: !changelog.internal,
    stallTimeoutMs: app.settings.restoreStallTimeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
  return write(step, follower.position, store.committed());
}

async function write(
  step: Step,
  nextOffset: Offset,
  entries: Iterable<SnapshotEntry>,
  base?: Manifest,
): Promise<AdvanceResult> {
  const { ports, identity, changelog, atMs, end, logger, signal } = step;
  const { name } = await writeSnapshot({
    store: ports.snapshots,
    host: ports.host,
    identity,
    changelog,
    writer: 'standby',
    nextOffset,
    lastKnownEndAtMs: atMs,
    entries,
    ...(base === undefined ? {} : { base }),
    ...(signal === undefined ? {} : { signal }),
  });
  logger.info('snapshot-written', { taskId: identity.taskId, store: identity.store, snapshot: name, nextOffset });
  await collectGarbage({ store: ports.snapshots, host: ports.host, identity, nowMs: ports.host.clock.now() });
  return { did: base === undefined ? 'wrote-whole' : 'wrote-delta', nextOffset, endOffset: end };
}
