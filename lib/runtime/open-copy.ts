/** Begins a copy of a store: with what this process has kept of it, else with the newest snapshot, else with the start of the log. */
import type { Logger } from '../host/host.js';
import { changelogEnds } from '../log/changelog-ends.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import { refusalByPosition } from '../snapshots/usability.js';
import { sourceChangelog } from '../task/source-changelog.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { createFollower } from './follower.js';
import type { KeptStore, KeptStores } from './kept-stores.js';
import { type ChangelogFacts, changelogFacts, openStore } from './load-store.js';
import type { RuntimePorts } from './ports.js';
import type { RestorePace } from './restore-pace.js';
import { createMeter, meteredPorts } from './restore-ports.js';
import { StoreCopy } from './store-copy.js';

export interface OpenCopy {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'log' | 'snapshots' | 'host'>;
  readonly logger: Logger;
  readonly home: KeptStores;
  readonly taskId: TaskId;
  readonly changelog: TaskChangelog;
  /** Whether the store may still be kept here once it is loaded: no task has begun to run on another meanwhile. */
  readonly isWelcome: () => boolean;
  /** How fast a snapshot may be read: as the restores of this member, with whom it shares that. Null: as fast as it goes. */
  readonly pace: RestorePace | null;
  readonly signal: AbortSignal;
}

/**
 * @returns null if it is not wanted here any more
 * @throws as `openStore`: it may be tried again
 */
export async function openCopy(open: OpenCopy): Promise<StoreCopy | null> {
  const { app, ports, logger, home, taskId, changelog, isWelcome, pace, signal } = open;
  const { store: storeName, topic, partition } = changelog;
  const found = home.find(taskId, storeName);
  if (found !== null) {
    const copy = await goOnWith(open, found);
    if (copy !== null) return copy.isHere ? copy : null;
  }
  const end = await changelogEnd(open);
  const opened = await openStore({
    app,
    ports: meteredPorts({ ports, meter: createMeter(), pace, signal }),
    logger,
    taskId,
    storeName,
    changelog: { topic, partition },
    target: end,
    exact: !changelog.internal,
    stallTimeoutMs: app.settings.restoreStallTimeoutMs,
    signal,
  });
  if (signal.aborted || !isWelcome() || home.find(taskId, storeName) !== null) return null;
  const { manifest, logStartOffset, follower, deleteRetentionMs } = opened;
  const kept: KeptStore = {
    taskId,
    store: opened.store,
    topicId: opened.topicId,
    nextOffset: follower.position,
    endOffset: end,
    atEndMs: opened.knownAtMs,
    snapshotOffset: manifest?.nextOffset ?? logStartOffset,
  };
  home.keep(kept);
  return copyOf(open, kept, { follower, deleteRetentionMs });
}

/** What this process has kept, if its tail can be read; else it is dropped. */
async function goOnWith(open: OpenCopy, kept: KeptStore): Promise<StoreCopy | null> {
  const { app, ports, logger, home, taskId, changelog } = open;
  const { topic, partition, store } = changelog;
  const facts = await changelogFacts(ports, changelog);
  const askedAtMs = ports.host.clock.now();
  const endOffset = await changelogEnd(open);
  const reason = refusalOf(kept, { ...facts, endOffset, nowMs: askedAtMs });
  if (!home.has(kept)) return null;
  if (reason !== null) {
    home.take(taskId, store);
    logger.info('copy-refused', { taskId, store, reason, position: kept.nextOffset });
    return null;
  }
  const follower = createFollower({
    log: ports.log,
    clock: ports.host.clock,
    store: kept.store,
    changelog: { topic, partition, topicId: facts.topicId },
    fromOffset: kept.nextOffset,
    fetchMaxBytes: app.settings.fetchMaxBytes,
    source: sourceChangelog(app, changelog),
  });
  const range = { fromOffset: kept.nextOffset, toOffset: endOffset };
  logger.info('copy-started', { taskId, store, topic, partition, mode: 'memory', ...range, refused: [] });
  const copy = copyOf(open, kept, { follower, deleteRetentionMs: facts.deleteRetentionMs });
  copy.sawEnd(endOffset, askedAtMs);
  return copy;
}

function refusalOf(
  kept: KeptStore,
  facts: ChangelogFacts & { readonly endOffset: Offset; readonly nowMs: number },
): string | null {
  if (kept.topicId !== facts.topicId) return 'topic-recreated';
  return refusalByPosition({ nextOffset: kept.nextOffset, lastKnownEndAtMs: kept.atEndMs }, facts);
}

function copyOf(
  { app, ports, home, changelog }: OpenCopy,
  kept: KeptStore,
  how: Pick<ConstructorParameters<typeof StoreCopy>[0], 'follower' | 'deleteRetentionMs'>,
): StoreCopy {
  const { clock } = ports.host;
  return new StoreCopy({ home, kept, changelog, clock, stallTimeoutMs: app.settings.restoreStallTimeoutMs, ...how });
}

async function changelogEnd({ app, ports, changelog }: OpenCopy): Promise<Offset> {
  const ends = await changelogEnds(ports.log, app.applicationId, [changelog]);
  return ends.get(topicPartitionKey(changelog)) ?? (0 as Offset);
}
