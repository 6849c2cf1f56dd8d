import type { RecordSet } from '../../model/record-set.js';
import { parseTopicPartitionKey, type TopicPartitionKey } from '../../model/topic-partition.js';
import type { TransactionalStore } from '../../state/byte-store.js';
import { createStores } from '../../state/create-stores.js';
import { createGlobalTask, type GlobalTask } from '../../task/global-task.js';
import type { StreamsApp } from '../../topology/app.js';

/** The global stores of a reference: a record of their topics is in them as soon as it is given. */
export class ReferenceGlobals {
  /** By name. */
  readonly stores: ReadonlyMap<string, TransactionalStore>;
  private readonly tasks: ReadonlyMap<string, GlobalTask>;

  constructor(app: StreamsApp, nowMs: number) {
    const globals = [...app.topology.globalStores.values()];
    const stores = createStores(globals.flatMap(({ store }) => app.topology.stores.get(store) ?? []));
    this.stores = stores;
    this.tasks = new Map(
      globals.flatMap(({ store: storeName, topic }) => {
        const store = stores.get(storeName);
        return store === undefined ? [] : [[topic, createGlobalTask({ app, storeName, store, nowMs })] as const];
      }),
    );
  }

  async init(): Promise<void> {
    for (const task of this.tasks.values()) await task.init();
  }

  /** Records, with their offsets, of a topic that may be a global one. */
  async give(key: TopicPartitionKey, set: RecordSet, nowMs: number): Promise<void> {
    const { topic, partition } = parseTopicPartitionKey(key);
    const task = this.tasks.get(topic);
    if (task === undefined) return;
    for (let at = 0; at < set.size; ) at = await task.apply({ partition, records: set }, at, nowMs);
  }

  async close(): Promise<void> {
    for (const task of this.tasks.values()) await task.close();
  }
}
