import type { CommittedOffset } from '../../log/log.js';
import type { Offset } from '../../model/offset.js';
import { RecordSet } from '../../model/record-set.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../model/topic-partition.js';
import { KeptStores } from '../../runtime/kept-stores.js';
import { snapshotIdentity } from '../../runtime/load-store.js';
import { restoreStores } from '../../runtime/restore.js';
import { StopSource } from '../../runtime/stop.js';
import type { SessionStore } from '../../runtime/task-session.js';
import { readTopicIds } from '../../runtime/topic-ids.js';
import type { SnapshotStore } from '../../snapshots/snapshot-store.js';
import { writeSnapshot } from '../../snapshots/write-snapshot.js';
import type { ByteStore, TransactionalStore } from '../../state/byte-store.js';
import { createStreamTask } from '../../task/create-task.js';
import type { ScheduledPunctuation, StreamTask } from '../../task/stream-task.js';
import type { StreamsApp } from '../../topology/app.js';
import type { TaskSpec } from '../../topology/resolve-partitions.js';
import type { DriverHost } from './driver-host.js';
import type { DriverTopics } from './driver-topics.js';
import { KafkaOrder } from './kafka-order.js';

/** What the tasks of one driver share. */
export interface DriverWorld {
  readonly app: StreamsApp;
  readonly host: DriverHost;
  readonly topics: DriverTopics;
  /** Whether the task takes records in the order of Kafka's driver. */
  readonly oneTask: boolean;
  /** Global stores by name, as the driver's one member holds them now. */
  readonly globalStores: () => ReadonlyMap<string, ByteStore>;
}

/** How a task starts. */
export interface DriverTaskStart {
  readonly spec: TaskSpec;
  /** Where snapshots are looked for. */
  readonly snapshots: SnapshotStore;
  /** Wall-clock punctuations that the task before this one has handed over. */
  readonly punctuations: readonly ScheduledPunctuation[];
}

/** One life of a task: opened from the log and its snapshots as an engine does it, until it is thrown away or closed. */
export class DriverTask {
  readonly spec: TaskSpec;
  readonly task: StreamTask;
  readonly stores: ReadonlyMap<string, TransactionalStore>;
  /** Records processed since the last commit. */
  uncommitted = 0;
  private readonly world: DriverWorld;
  private readonly logged: readonly SessionStore[];
  /** By input: first offset that the task was not given yet. */
  private readonly positions = new Map<TopicPartitionKey, number>();
  /** What the task is given one by one; null: it is given all, and chooses. */
  private readonly waiting: KafkaOrder | null;

  /**
   * Restores the stores, makes the processors, and gives them all that is not committed.
   *
   * @throws {ProcessingError} STREAMS_PROCESSING_FAILED · as `restoreStores`
   */
  static async open(world: DriverWorld, start: DriverTaskStart): Promise<DriverTask> {
    const { app, host, topics } = world;
    const { spec, snapshots, punctuations } = start;
    const { log } = topics;
    const unlogged = new Map<string, TransactionalStore>();
    const committed = await log.committedOffsets(app.applicationId, spec.inputs);
    const ports = { log, snapshots, host };
    const run = {
      app,
      ports,
      logger: host.logger,
      kept: new KeptStores(),
      task: spec,
      stop: new StopSource(),
      unlogged,
    };
    const logged = await restoreStores(run, committed, await readTopicIds(log, spec));
    const stores = new Map([...unlogged, ...logged.map((each) => [each.name, each.store] as const)]);
    const task = createStreamTask({
      app,
      taskId: spec.taskId,
      partitionCounts: topics.counts,
      stores,
      globalStores: world.globalStores(),
      committed,
      nowMs: host.nowMs,
      punctuations,
      sleep: host.waits.sleep,
    });
    await task.init();
    const opened = new DriverTask(world, spec, { task, stores, logged }, committed);
    for (const input of spec.inputs) await opened.feed(input);
    return opened;
  }

  private constructor(
    world: DriverWorld,
    spec: TaskSpec,
    made: Pick<DriverTask, 'task' | 'stores'> & { readonly logged: readonly SessionStore[] },
    committed: ReadonlyMap<TopicPartitionKey, CommittedOffset>,
  ) {
    this.world = world;
    this.spec = spec;
    this.task = made.task;
    this.stores = made.stores;
    this.logged = made.logged;
    this.waiting = world.oneTask ? new KafkaOrder() : null;
    for (const input of spec.inputs) {
      const key = topicPartitionKey(input);
      const nextOffset = committed.get(key)?.nextOffset ?? (0 as Offset);
      this.positions.set(key, nextOffset);
      this.task.addRecords({ ...input, records: RecordSet.EMPTY, nextOffset, endOffset: nextOffset });
    }
  }

  reads(input: TopicPartition): boolean {
    return this.positions.has(topicPartitionKey(input));
  }

  /** Gives the task the next record where it is given one by one. @returns whether there was one */
  admitNext(): boolean {
    const next = this.waiting?.take();
    if (next !== undefined) this.task.addRecords(next);
    return next !== undefined;
  }

  /** Gives the task what an input has gained, or keeps it for {@link admitNext}. */
  async feed(input: TopicPartition): Promise<void> {
    const key = topicPartitionKey(input);
    const { topics } = this.world;
    for await (const { records, nextOffset } of topics.read(input, this.positions.get(key) ?? 0)) {
      this.positions.set(key, nextOffset);
      const fetched = { ...input, records, nextOffset, endOffset: topics.end(key) as Offset };
      if (this.waiting === null) this.task.addRecords(fetched);
      else this.waiting.add(fetched);
    }
  }

  /** @returns the partitions that were written */
  async commit(): Promise<readonly TopicPartitionKey[]> {
    const { app, host, topics } = this.world;
    const output = await this.task.seal();
    await topics.write(output.outputs);
    await topics.write(output.changelogs);
    if (output.offsets.size > 0) await topics.log.commitOffsets(app.applicationId, output.offsets);
    for (const store of this.stores.values()) store.commit();
    for (const { reason, count } of output.dropped) host.dropped.set(reason, (host.dropped.get(reason) ?? 0) + count);
    this.uncommitted = 0;
    return [...output.outputs.keys()];
  }

  /** Writes a snapshot of each logged store with what is committed. */
  async writeSnapshots(snapshots: SnapshotStore): Promise<void> {
    const { app, host, topics } = this.world;
    for (const { name, store, changelog, topicId, ownChangelog } of this.logged) {
      const key = topicPartitionKey(changelog);
      const committed = await topics.log.committedOffsets(app.applicationId, [changelog]);
      const nextOffset = ownChangelog ? topics.end(key) : (committed.get(key)?.nextOffset ?? 0);
      await writeSnapshot({
        store: snapshots,
        host,
        identity: snapshotIdentity({ app, taskId: this.spec.taskId, storeName: name, topicId }),
        changelog,
        writer: 'driver',
        nextOffset: nextOffset as Offset,
        lastKnownEndAtMs: host.nowMs,
        entries: store.committed(),
      });
    }
  }

  rollback(): void {
    for (const store of this.stores.values()) store.rollback();
  }
}
