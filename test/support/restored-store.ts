import { taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import { type LoadedStore, loadStore } from '../../lib/runtime/load-store.js';
import type { SnapshotStore } from '../../lib/snapshots/snapshot-store.js';
import type { TransactionalStore } from '../../lib/state/byte-store.js';
import { STORE, type TaskWorld } from './task-world.js';

export const CHANGELOG = { topic: `app-${STORE}-changelog`, partition: 0 };

/** The store of the first task, up to the end of its changelog, from these snapshots and the log. */
export async function restored(
  world: TaskWorld,
  snapshots: SnapshotStore = world.ports.snapshots,
): Promise<LoadedStore> {
  const ends = await world.ports.log.listOffsets([CHANGELOG], 'highWatermark');
  const target = ends.get(topicPartitionKey(CHANGELOG));
  if (target === undefined) throw new Error('the changelog has no end');
  return loadStore({
    app: world.app,
    ports: { ...world.ports, snapshots },
    logger: world.ports.host.logger,
    taskId: taskId(0, 0),
    storeName: STORE,
    changelog: CHANGELOG,
    target,
    stallTimeoutMs: 500,
  });
}

/** What a store holds, to be compared. */
export function contentOf(store: TransactionalStore) {
  return [...store.committed()].map(({ key, value, timestampMs }) => [
    key,
    Buffer.from(value).toString('hex'),
    timestampMs,
  ]);
}
