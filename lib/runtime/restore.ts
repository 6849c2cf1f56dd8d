/**
 * Restores the stores of a task that is about to run.
 *
 * The target is the high watermark as taken after the fence: the task's own earlier transaction is closed by then, and a last
 * stable offset could hide committed records behind somebody else's open one (traps 5). A source topic that serves as changelog
 * is restored to the committed input offset, and from no snapshot newer than that: state and input stay together.
 */
import type { TopicIds } from '../leases/records.js';
import type { CommittedOffset } from '../log/log.js';
import type { Offset } from '../model/offset.js';
import { type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { RestoreProgress, TaskState } from '../topology/listeners.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { subTopologyOf } from '../topology/topology.js';
import type { KeptStore, KeptStores } from './kept-stores.js';
import { isLazy, type LazyLoading, lazyLoadingOf } from './lazy-stores.js';
import { tell } from './listening.js';
import { emptyStore, type LoadedStore, type LoadObserver, loadStore, storeSpec } from './load-store.js';
import type { RestoringRun } from './restoring-run.js';
import { TaskRestore } from './task-restore.js';
import { keepStores, type SessionStore } from './task-session.js';
import { refuseOtherLife } from './topic-ids.js';

/**
 * @param committed where the inputs go on
 * @param topicIds the changelogs that are meant
 * @param entered told of the state that the task comes to
 * @throws as `loadStore`, and {StateTooLargeError} STREAMS_STATE_TOO_LARGE; what was restored so far is kept for the next attempt
 */
export async function restoreStores(
  run: RestoringRun,
  committed: ReadonlyMap<TopicPartitionKey, CommittedOffset>,
  topicIds: TopicIds,
  entered: (state: TaskState) => void = () => {},
): Promise<readonly SessionStore[]> {
  addUnloggedStores(run);
  const restore = new TaskRestore(run);
  const restored: SessionStore[] = [];
  try {
    await restore.begin(entered);
    for (const changelog of run.task.changelogs) {
      const target = await restoreTarget(run, changelog, committed);
      const store = await restoreStore(run, restore, changelog, target, entered);
      refuseOtherLife(changelog.topic, topicIds, store.topicId);
      restored.push(restore.finished(changelog, store));
    }
    await restore.succeeded();
    return restored;
  } catch (error) {
    keepStores(run, restored);
    await restore.failed(error);
    throw error;
  } finally {
    restore.end();
  }
}

async function restoreStore(
  run: RestoringRun,
  restore: TaskRestore,
  changelog: TaskChangelog,
  target: Offset,
  entered: (state: TaskState) => void,
): Promise<SessionStore> {
  const { app, logger, kept, task, stop } = run;
  const { ports } = restore;
  const { store: storeName, topic, partition, internal } = changelog;
  const atEndMs = ports.host.clock.now();
  const remembered = kept.take(task.taskId, storeName);
  const load = {
    app,
    ports,
    logger,
    taskId: task.taskId,
    storeName,
    changelog: { topic, partition },
    target,
    exact: !internal,
    kept: remembered,
    lazy: lazyLoading(run, changelog),
    stallTimeoutMs: app.settings.restoreStallTimeoutMs,
    signal: stop.signal,
    beforeReading: () => restore.ensureTurn(entered),
    observer: restore.observe(
      changelog,
      target,
      remembered?.snapshotOffset ?? null,
      listeningObserver(run, changelog, target),
    ),
  };
  const loaded = await keptOnFailure(kept, remembered, () => loadStore(load));
  run.status?.restoredFrom.add(loaded.mode);
  return {
    name: storeName,
    store: loaded.store,
    changelog: { topic, partition },
    ownChangelog: internal,
    topicId: loaded.topicId,
    position: loaded.follower.position,
    atEndMs,
    snapshotOffset: newestSnapshot(loaded, remembered?.snapshotOffset ?? null),
  };
}

/** Not through what restores are paced by: it is read after the restore. A restore by itself (a test driver's) is in memory. */
function lazyLoading(run: RestoringRun, changelog: TaskChangelog): LazyLoading | null {
  return run.restores === undefined || !isLazy(run.app, changelog) ? null : lazyLoadingOf(run);
}

/**
 * What this process had of a store is not lost where a restore fails: it holds all below its position still (K1), and to apply the
 * same records again makes no difference. If it was refused for good it is refused again.
 */
async function keptOnFailure<T>(kept: KeptStores, remembered: KeptStore | null, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    if (remembered !== null) kept.keep(remembered);
    throw thrown;
  }
}

/** Tells the application's listeners. Kafka: `StateRestoreListener`. */
function listeningObserver(
  { app, logger, task, status }: RestoringRun,
  changelog: TaskChangelog,
  endOffset: Offset,
): LoadObserver {
  const { listeners } = app;
  const { store, topic, partition } = changelog;
  const taskId = task.taskId;
  let fromOffset = 0;
  let records = 0;
  const say = (listener: ((progress: RestoreProgress) => void) | undefined, nextOffset: number) =>
    tell(logger, listener, { taskId, store, topic, partition, fromOffset, endOffset, nextOffset, records });
  return {
    started(from) {
      fromOffset = from;
      records = 0;
      say(listeners?.onRestoreStart?.bind(listeners), from);
    },
    applied(nextOffset, count) {
      records += count;
      if (status !== undefined) status.restoredRecords += count;
      if (count > 0) say(listeners?.onBatchRestored?.bind(listeners), nextOffset);
    },
    finished: (nextOffset) => say(listeners?.onRestoreEnd?.bind(listeners), nextOffset),
  };
}

/** Where the newest snapshot stands, as far as is known; the log's start if there is none. */
function newestSnapshot({ mode, manifest, logStartOffset }: LoadedStore, remembered: Offset | null): Offset {
  if (mode === 'memory') return remembered ?? logStartOffset;
  return manifest?.nextOffset ?? logStartOffset;
}

async function restoreTarget(
  { ports }: RestoringRun,
  { topic, partition, internal }: TaskChangelog,
  committed: ReadonlyMap<TopicPartitionKey, CommittedOffset>,
): Promise<Offset> {
  const key = topicPartitionKey({ topic, partition });
  if (!internal) return committed.get(key)?.nextOffset ?? (0 as Offset);
  return (await ports.log.listOffsets([{ topic, partition }], 'highWatermark')).get(key) ?? (0 as Offset);
}

/** Stores without a changelog begin empty and last as long as the run. */
function addUnloggedStores({ app, task, unlogged, logger }: RestoringRun): void {
  const logged = new Set(task.changelogs.map(({ store }) => store));
  for (const name of subTopologyOf(app.topology, task.subTopology)?.stores ?? []) {
    if (logged.has(name) || unlogged.has(name)) continue;
    unlogged.set(name, emptyStore(storeSpec(app, name)));
    logger.warn('store-starts-empty', {
      store: name,
      message:
        'the store has no changelog: it begins empty each time its task starts on another process, as after a cold start',
    });
  }
}
