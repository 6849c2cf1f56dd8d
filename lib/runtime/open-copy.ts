/** Begins a copy of a store: with what this process has kept of it, else with the newest snapshot, else with the start of the log. */
import type { Logger } from '../host/host.js';
import { changelogEnds } from '../log/changelog-ends.js';
import { AbortedError } from '../model/errors.js';
import { lagBetween, type Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import { refusalByPosition } from '../snapshots/usability.js';
import { ENTRY_OVERHEAD_BYTES } from '../state/entry-table.js';
import { sourceChangelog } from '../task/source-changelog.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { createFollower } from './follower.js';
import type { KeptStore, KeptStores } from './kept-stores.js';
import { type ChangelogFacts, changelogFacts, openStore } from './load-store.js';
import type { RuntimePorts } from './ports.js';
import { isShortTail } from './restore-estimate.js';
import { hurryWallMs, type RestorePace } from './restore-pace.js';
import { createMeter, meteredPorts } from './restore-ports.js';
import { leastStateBytes } from './state-budget.js';
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
  /** Told what the copy takes at least, as soon as its snapshot says so; what it throws ends the load. */
  readonly claim: (bytes: number) => void;
  /** Ends a load in its midst. */
  readonly signal: AbortSignal;
}

/**
 * @returns null if it is not wanted here any more, or what this process had is of no use: then it is to be begun anew
 * @throws as `openStore`, {AbortedError} STREAMS_ABORTED, and what `claim` throws: it may be tried again
 */
export async function openCopy(open: OpenCopy): Promise<StoreCopy | null> {
  const { app, ports, logger, home, taskId, changelog, isWelcome, pace, claim, signal } = open;
  const { store: storeName, topic, partition } = changelog;
  const found = home.find(taskId, storeName);
  if (found !== null) {
    const copy = await goOnWith(open, found);
    return copy?.isHere === true ? copy : null;
  }
  const end = await changelogEnd(open);
  const meter = createMeter();
  const { clock } = ports.host;
  const opened = await openStore({
    app,
    ports: endingReads(meteredPorts({ ports, meter, pace, signal }), signal),
    logger,
    taskId,
    storeName,
    changelog: { topic, partition },
    target: end,
    exact: !changelog.internal,
    stallTimeoutMs: app.settings.restoreStallTimeoutMs,
    signal,
    observer: {
      started(_, { manifest, knownAtMs, deleteRetentionMs }) {
        meter.hurryAtMs = clock.monotonic() + hurryWallMs(knownAtMs, deleteRetentionMs) - clock.now();
        if (manifest !== null) claim(leastStateBytes(manifest, ENTRY_OVERHEAD_BYTES));
      },
      applied: () => undefined,
      finished: () => undefined,
    },
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
  return copyOf(open, kept, { follower, deleteRetentionMs, target: end });
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
  const target = isShortTail(lagBetween(kept.nextOffset, endOffset)) ? null : endOffset;
  const copy = copyOf(open, kept, { follower, deleteRetentionMs: facts.deleteRetentionMs, target });
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
  how: Pick<ConstructorParameters<typeof StoreCopy>[0], 'follower' | 'deleteRetentionMs' | 'target'>,
): StoreCopy {
  const { clock } = ports.host;
  return new StoreCopy({ home, kept, changelog, clock, stallTimeoutMs: app.settings.restoreStallTimeoutMs, ...how });
}

/** The same ports; snapshots are not read any further once the signal fires. */
function endingReads(ports: OpenCopy['ports'], signal: AbortSignal): OpenCopy['ports'] {
  const { snapshots } = ports;
  return {
    ...ports,
    snapshots: {
      async read(name, range) {
        if (signal.aborted) throw new AbortedError('the copy is not read any further', { cause: signal.reason });
        return snapshots.read(name, range);
      },
      list: (prefix, options) => snapshots.list(prefix, options),
      create: (name, bytes) => snapshots.create(name, bytes),
      remove: (name) => snapshots.remove(name),
    },
  };
}

async function changelogEnd({ app, ports, changelog }: OpenCopy): Promise<Offset> {
  const ends = await changelogEnds(ports.log, app.applicationId, [changelog]);
  return ends.get(topicPartitionKey(changelog)) ?? (0 as Offset);
}
