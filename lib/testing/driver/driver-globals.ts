import type { Offset } from '../../model/offset.js';
import type { TopicPartition } from '../../model/topic-partition.js';
import { topicPartitionKey } from '../../model/topic-partition.js';
import { GlobalImage } from '../../runtime/global-image.js';
import { changelogFacts, emptyStore, storeSpec } from '../../runtime/load-store.js';
import type { TransactionalStore } from '../../state/byte-store.js';
import type { DriverWorld } from './driver-task.js';

type GlobalWorld = Pick<DriverWorld, 'app' | 'host' | 'topics'>;

/** The global stores of a driver's one member: loaded from their topics, and in step with them at once. */
export class DriverGlobals {
  readonly stores: ReadonlyMap<string, TransactionalStore>;
  private readonly topics: GlobalWorld['topics'];
  private readonly host: GlobalWorld['host'];
  /** By topic. */
  private readonly images: ReadonlyMap<string, GlobalImage>;

  /** Reads every global topic from its start. */
  static async load(world: GlobalWorld): Promise<DriverGlobals> {
    const images = new Map<string, GlobalImage>();
    for (const { store, topic } of world.app.topology.globalStores.values())
      images.set(topic, await open(world, store, topic));
    const globals = new DriverGlobals(world, images);
    for (const [topic, image] of images)
      for (const partition of image.partitions) await globals.follow({ topic, partition });
    return globals;
  }

  private constructor({ topics, host }: GlobalWorld, images: ReadonlyMap<string, GlobalImage>) {
    this.topics = topics;
    this.host = host;
    this.images = images;
    this.stores = new Map([...images.values()].map(({ store }) => [store.name, store]));
  }

  reads(topic: string): boolean {
    return this.images.has(topic);
  }

  /** Takes in what a partition has gained. */
  async follow({ topic, partition }: TopicPartition): Promise<void> {
    const image = this.images.get(topic);
    if (image === undefined) return;
    for await (const read of this.topics.read({ topic, partition }, image.position(partition)))
      await image.apply(partition, read, this.host.nowMs);
  }

  async close(): Promise<void> {
    for (const image of this.images.values()) await image.close();
  }
}

async function open({ app, host, topics }: GlobalWorld, name: string, topic: string): Promise<GlobalImage> {
  const store: TransactionalStore = emptyStore(storeSpec(app, name));
  const partitions = new Map<number, { startOffset: Offset; endOffset: Offset }>();
  for (let partition = 0; partition < topics.counts.get(topic); partition += 1) {
    const endOffset = topics.end(topicPartitionKey({ topic, partition })) as Offset;
    partitions.set(partition, { startOffset: 0 as Offset, endOffset });
  }
  const { topicId, deleteRetentionMs } = await changelogFacts(topics, { topic, partition: 0 });
  const { clock, logger, metrics } = host;
  const facts = { topicId, deleteRetentionMs, partitions };
  return GlobalImage.open({ app, clock, logger, metrics, store, facts, kept: null });
}
