/**
 * Fills a store from the best source there is, then from the log up to a target: used by restore, standby and query alike.
 *
 * ```
 *   memory (kept by this process) ─▶ newest snapshot ─▶ older snapshots ─▶ the whole log
 * ```
 * Each source is refused for a named reason, or fails on the way and is given up; the next one starts with an empty store.
 *
 * Invariants (docs/design.md §7)
 *   D1  a source is used only for the life of the changelog topic (topic id) that it was built from
 *   D2  a source is used only if its tail can not miss a delete: it is still the end, or was so within delete.retention.ms
 *   D3  the log is read from its start as it is now, never from an assumed 0
 *   D4  whatever the source, the store ends as the fold of the log below the target: sources differ in cost alone. Keys that are
 *       written beyond the target while it is loaded may be missing (F5 of follower.ts): whoever goes on from there meets them
 */
import type { Logger } from '../host/host.js';
import type { LogReader, TopicAdmin, TopicConfig } from '../log/log.js';
import { InternalError, OffsetOutOfRangeError, SnapshotCorruptedError, UnknownTopicError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { type TopicPartition, topicPartitionKey } from '../model/topic-partition.js';
import type { Manifest, SnapshotIdentity } from '../snapshots/manifest.js';
import { type OpenSnapshot, openNewestSnapshot } from '../snapshots/open-snapshot.js';
import { refusalByPosition } from '../snapshots/usability.js';
import type { TransactionalStore } from '../state/byte-store.js';
import { createStores, type EngineSpec } from '../state/create-stores.js';
import { ENTRY_OVERHEAD_BYTES } from '../state/entry-table.js';
import { LazyStore, NOTHING } from '../state/lazy-store.js';
import { sourceChangelog } from '../task/source-changelog.js';
import type { StreamsApp } from '../topology/app.js';
import type { StoreSpec } from '../topology/store-spec.js';
import { createFollower, type Follower } from './follower.js';
import type { KeptStore } from './kept-stores.js';
import { type LazyLoading, lazyStore } from './lazy-stores.js';
import type { RuntimePorts } from './ports.js';
import { leastStateBytes } from './state-budget.js';

/** Sources tried before the restore gives up: a log that moves away from under so many is no place to restore from. */
const SOURCES_MAX = 8;
/** Kafka's default of `delete.retention.ms`. */
const DEFAULT_DELETE_RETENTION_MS = 86_400_000;

/** What of a log a load needs. */
export type ReadableLog = LogReader & TopicAdmin;

export type LoadMode = 'memory' | 'snapshot+tail' | 'log';

export interface LoadStore {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'snapshots' | 'host'> & { readonly log: ReadableLog };
  readonly logger: Logger;
  readonly taskId: TaskId;
  readonly storeName: string;
  readonly changelog: TopicPartition;
  /** Where to stop (exclusive). */
  readonly target: Offset;
  /** Whether to go on to the end beyond the target, so that the store is exactly the fold below its position (F5 of follower.ts). */
  readonly toTheEnd?: boolean;
  /** Whether nothing newer than the target may be used: a source topic read again as changelog. */
  readonly exact?: boolean;
  readonly kept?: KeptStore | null;
  /** Present: the store is to lie in its snapshot (lazy-stores.ts). */
  readonly lazy?: LazyLoading | null;
  readonly stallTimeoutMs: number;
  readonly signal?: AbortSignal;
  /** Awaited before a source is looked for that this process does not hold; answers whether it may have waited. What it throws ends the load. */
  readonly beforeReading?: () => Promise<boolean>;
  /** Hears how far it has come, from each source that is tried. */
  readonly observer?: LoadObserver;
}

/** What is told of a load as it happens; offsets as in `RestoreProgress`. What it throws ends the load. */
export interface LoadObserver {
  /** A source was opened; nothing of it is in the store yet, unless this process held it. */
  started(fromOffset: Offset, source: LoadSource): void;
  /** The store holds what the source had, and the log is followed from there. */
  filled?(): void;
  /** The store holds the log up to `nextOffset` (F1 of follower.ts); it is not written again before this returns. */
  applied(nextOffset: Offset, records: number): void;
  finished(nextOffset: Offset): void;
}

/** What a load begins with. */
export interface LoadSource {
  readonly mode: LoadMode;
  readonly store: TransactionalStore;
  readonly topicId: string;
  /** Null: no snapshot. */
  readonly manifest: Manifest | null;
  /**
   * Wall clock up to which the store knows of all deletes, or has still to be told of them by the log: the time from which their retention
   * counts (S3 of manifest.ts). Of the log's start: now.
   */
  readonly knownAtMs: number;
  /** As in {@link ChangelogFacts}. */
  readonly deleteRetentionMs: number;
}

export interface LoadedStore {
  readonly store: TransactionalStore;
  /** Stands at or beyond the target. */
  readonly follower: Follower;
  readonly topicId: string;
  /** As when it was loaded; Infinity where the cleaner drops no tombstones. */
  readonly deleteRetentionMs: number;
  readonly mode: LoadMode;
  /** The snapshot that it began with, or null. */
  readonly manifest: Manifest | null;
  readonly logStartOffset: Offset;
}

/** A store as its best source has it. */
export interface OpenedStore extends Omit<LoadedStore, 'follower'> {
  /** Stands where the source ends: nothing of the log after it is applied yet. */
  readonly follower: Follower;
  /** Wall clock since which no delete may be missing, in milliseconds: as `LoadSource`. */
  readonly knownAtMs: number;
  /** Entries that the snapshot had. */
  readonly snapshotEntries: number;
  /** Monotonic milliseconds at which it had them. */
  readonly filledMs: number;
}

/** What is known of a changelog partition before it is read. */
export interface ChangelogFacts {
  readonly topicId: string;
  readonly logStartOffset: Offset;
  /** Infinity where the cleaner drops no tombstones. */
  readonly deleteRetentionMs: number;
}

/**
 * @throws {RestoreStalledError} STREAMS_RESTORE_STALLED · {UnknownTopicError} STREAMS_UNKNOWN_TOPIC ·
 *   {TopicRecreatedError} STREAMS_TOPIC_RECREATED · {UnavailableError} STREAMS_UNAVAILABLE · {AbortedError} STREAMS_ABORTED
 */
export async function loadStore(load: LoadStore): Promise<LoadedStore> {
  return fromBestSource(load, (attempts) => attempts.next());
}

/**
 * As `loadStore`, but leaves the tail to the caller, who follows the log (`follower`) at his own pace: a copy that stays.
 *
 * @throws as `loadStore`, without {RestoreStalledError}
 */
export async function openStore(load: LoadStore): Promise<OpenedStore> {
  return fromBestSource(load, (attempts) => attempts.open('copy-started'));
}

async function fromBestSource<T>(load: LoadStore, attempt: (attempts: LoadAttempts) => Promise<T>): Promise<T> {
  const attempts = new LoadAttempts(load);
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(attempts);
    } catch (thrown) {
      const isSourceGone = thrown instanceof SnapshotCorruptedError || thrown instanceof OffsetOutOfRangeError;
      if (!isSourceGone || tried >= SOURCES_MAX) throw thrown;
      attempts.giveUp(thrown);
    }
  }
}

/** @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC */
export async function changelogFacts(
  ports: { readonly log: ReadableLog },
  changelog: TopicPartition,
): Promise<ChangelogFacts> {
  const { topic } = changelog;
  const [described, starts] = await Promise.all([
    ports.log.describeTopics([topic]),
    ports.log.listOffsets([changelog], 'earliest'),
  ]);
  const description = described.get(topic);
  if (description === undefined)
    throw new UnknownTopicError(`changelog ${topic} does not exist`, { details: { topic } });
  return {
    topicId: description.topicId,
    logStartOffset: starts.get(topicPartitionKey(changelog)) ?? (0 as Offset),
    deleteRetentionMs: deleteRetentionMs(description.config),
  };
}

/** How long a topic keeps deletes, in milliseconds; Infinity where the cleaner drops no tombstones. */
export function deleteRetentionMs(config: TopicConfig): number {
  const isCompacted = (config['cleanup.policy'] ?? 'delete').includes('compact');
  return isCompacted ? Number(config['delete.retention.ms'] ?? DEFAULT_DELETE_RETENTION_MS) : Number.POSITIVE_INFINITY;
}

/** Whose snapshot a store's is. */
export function snapshotIdentity(
  of: Pick<LoadStore, 'app' | 'taskId' | 'storeName'> & { readonly topicId: string },
): SnapshotIdentity {
  return { applicationId: of.app.applicationId, taskId: of.taskId, store: of.storeName, topicId: of.topicId };
}

/** A new store of that name and layout, without content. */
export function emptyStore(spec: EngineSpec): TransactionalStore {
  const { name } = spec;
  const store = createStores([spec]).get(name);
  if (store === undefined) throw new InternalError(`no engine made store ${name}`, { details: { store: name } });
  return store;
}

/** @throws {InternalError} STREAMS_INTERNAL if the topology has no such store */
export function storeSpec(app: StreamsApp, name: string): StoreSpec {
  const spec = app.topology.stores.get(name);
  if (spec === undefined) throw new InternalError(`there is no store ${name}`, { details: { store: name } });
  return spec;
}

interface Source extends Pick<LoadSource, 'mode' | 'store' | 'knownAtMs'> {
  readonly fromOffset: Offset;
  readonly snapshot: OpenSnapshot | null;
}

class LoadAttempts {
  private readonly load: LoadStore;
  private readonly givenUp = new Set<string>();
  private readonly reasons: string[] = [];
  private kept: KeptStore | null;
  private current: Source | null = null;

  constructor(load: LoadStore) {
    this.load = load;
    this.kept = load.kept ?? null;
  }

  /** Tries the best source that has not been given up, and follows the log from there. */
  async next(): Promise<LoadedStore> {
    const { ports, target, stallTimeoutMs, signal, observer, toTheEnd = false } = this.load;
    const { clock } = ports.host;
    const startedMs = clock.monotonic();
    const opened = await this.open('restore-started');
    const { follower, snapshotEntries, filledMs } = opened;
    await follower.followTo({ target, toTheEnd, stallTimeoutMs, ...(signal === undefined ? {} : { signal }) });
    const endedMs = clock.monotonic();
    observer?.finished(follower.position);
    if (this.current !== null)
      this.report('restore-finished', this.current, {
        records: follower.recordsApplied,
        snapshotEntries,
        snapshotMs: Math.round(filledMs - startedMs),
        tailMs: Math.round(endedMs - filledMs),
        ms: Math.round(endedMs - startedMs),
      });
    return opened;
  }

  /** Fills a store from the best source that has not been given up. @param event what the line about it is called */
  async open(event: string): Promise<OpenedStore> {
    const { ports, changelog, app, observer } = this.load;
    const { clock } = ports.host;
    let atMs = clock.now();
    let facts = await changelogFacts(ports, changelog);
    let source = this.keptSource(facts);
    if (source === null) {
      if ((await this.load.beforeReading?.()) === true) {
        atMs = clock.now();
        facts = await changelogFacts(ports, changelog); // while it waited snapshots were written, and the log was trimmed
      }
      source = (await this.snapshotSource(facts)) ?? this.logSource(facts, atMs);
    }
    this.current = source;
    this.report(event, source, {});
    const { topicId, deleteRetentionMs } = facts;
    const { mode, store, knownAtMs, snapshot } = source;
    const manifest = snapshot?.manifest ?? null;
    observer?.started(source.fromOffset, { mode, store, topicId, manifest, knownAtMs, deleteRetentionMs });
    const lies = store instanceof LazyStore && store.lies;
    const snapshotEntries = snapshot === null || lies ? 0 : await copySnapshot(snapshot, store);
    const filledMs = clock.monotonic();
    observer?.filled?.();
    const follower = createFollower({
      log: ports.log,
      clock,
      store: source.store,
      changelog: { ...changelog, topicId: facts.topicId },
      fromOffset: source.fromOffset,
      fetchMaxBytes: app.settings.fetchMaxBytes,
      source: sourceChangelog(app, changelog),
      ...(observer === undefined ? {} : { onApplied: (position, records) => observer.applied(position, records) }),
    });
    return {
      snapshotEntries,
      filledMs,
      knownAtMs,
      store,
      follower,
      topicId,
      deleteRetentionMs,
      mode,
      manifest,
      logStartOffset: facts.logStartOffset,
    };
  }

  /** The source tried last does not carry: says so, and never tries it again. */
  giveUp(cause: SnapshotCorruptedError | OffsetOutOfRangeError): void {
    const source = this.current;
    if (source === null) return;
    if (source.snapshot !== null) this.givenUp.add(source.snapshot.name);
    this.reasons.push(cause instanceof SnapshotCorruptedError ? 'corrupt-segment' : 'log-moved');
    this.load.logger.warn('restore-failed', { ...this.fields(source), code: cause.code, message: cause.message });
    this.load.ports.host.metrics.count('restore-failed', 1, { task: this.load.taskId, store: this.load.storeName });
  }

  /** A kept store is offered once. */
  private keptSource({ topicId, logStartOffset, deleteRetentionMs }: ChangelogFacts): Source | null {
    const { kept } = this;
    this.kept = null;
    if (kept === null) return null;
    const { target, ports } = this.load;
    const bounds = { logStartOffset, endOffset: target, nowMs: ports.host.clock.now(), deleteRetentionMs };
    const position = { nextOffset: kept.nextOffset, lastKnownEndAtMs: kept.atEndMs };
    const reason = kept.topicId === topicId ? refusalByPosition(position, bounds) : 'topic-recreated';
    if (reason === null) {
      const { store, nextOffset: fromOffset, atEndMs: knownAtMs } = kept;
      return { mode: 'memory', store, fromOffset, knownAtMs, snapshot: null };
    }
    this.reasons.push(`memory: ${reason}`);
    return null;
  }

  private async snapshotSource(facts: ChangelogFacts): Promise<Source | null> {
    const { ports, target, exact, lazy = null } = this.load;
    const { logStartOffset, deleteRetentionMs, topicId } = facts;
    const identity = snapshotIdentity({ ...this.load, topicId });
    const { snapshot, refused } = await openNewestSnapshot({
      store: ports.snapshots,
      host: ports.host,
      identity,
      logStartOffset,
      endOffset: target,
      nowMs: ports.host.clock.now(),
      deleteRetentionMs,
      ...(exact === true ? { notBeyondOffset: target } : {}),
      givenUp: new Set([...this.givenUp, ...(lazy?.reads.givenUp ?? [])]),
      verifyBlocks: false, // each is checked as it is read: what is broken is given up then, and the next source tried
    });
    for (const { name, reason } of refused) {
      if (reason !== 'given-up') this.reasons.push(reason);
      else if (!this.givenUp.has(name)) this.reasons.push('corrupt-segment'); // found by a store that lay in it
    }
    if (snapshot === null) {
      if (refused.length === 0) this.reasons.push('no-snapshot');
      return null;
    }
    const { nextOffset: fromOffset, lastKnownEndAtMs: knownAtMs } = snapshot.manifest;
    const isInMemory = lazy === null || lazy.fits?.(leastStateBytes(snapshot.manifest, ENTRY_OVERHEAD_BYTES)) === true;
    const store = isInMemory ? this.emptyStore() : await lazyStore(this.load.storeName, lazy, identity, snapshot);
    return { mode: 'snapshot+tail', store, fromOffset, knownAtMs, snapshot };
  }

  /** @param atMs wall clock before the log's start was asked for */
  private logSource({ logStartOffset }: ChangelogFacts, atMs: number): Source {
    return { mode: 'log', store: this.emptyStore(), fromOffset: logStartOffset, knownAtMs: atMs, snapshot: null };
  }

  private emptyStore(): TransactionalStore {
    const { lazy = null, storeName } = this.load;
    if (lazy !== null) return new LazyStore(storeName, NOTHING);
    return emptyStore(storeSpec(this.load.app, this.load.storeName));
  }

  private report(event: string, source: Source, more: Readonly<Record<string, unknown>>): void {
    this.load.logger.info(event, { ...this.fields(source), ...more });
  }

  private fields({ mode, fromOffset, snapshot }: Source) {
    const { storeName, changelog, target, taskId } = this.load;
    const from = Math.min(fromOffset, target);
    return {
      taskId,
      store: storeName,
      ...changelog,
      mode,
      fromOffset: from,
      toOffset: target,
      ...(snapshot === null ? {} : { snapshot: snapshot.name }),
      refused: [...new Set(this.reasons)],
    };
  }
}

async function copySnapshot(snapshot: OpenSnapshot, store: TransactionalStore): Promise<number> {
  let entries = 0;
  for await (const batch of snapshot.readBatches()) {
    for (const entry of batch) store.load(entry);
    entries += batch.length;
  }
  return entries;
}
