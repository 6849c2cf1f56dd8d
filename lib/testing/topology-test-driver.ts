/**
 * A topology in a test: records in, records out, no broker and no waiting. Kafka: `TopologyTestDriver`.
 *
 * Without further options it is Kafka's driver, but for its one task: every topic has one partition and every sub-topology one task; after
 * each record the driver calls the stream-time punctuations, commits, and gives records written to topics that the topology reads back to
 * it, before the next input. Records of a global store's topic are in the store at once. With `oneTask` it is Kafka's to the last.
 *
 * Unlike Kafka's it can have topics of several partitions, with a task for each, commit several records together, and let tasks die
 * and come back at any point: they then restore their stores from changelog and snapshots by the engine's own code.
 *
 * Invariants
 *   V1  one member runs all tasks and holds the global stores; what is not in its log, snapshots and committed offsets dies with it
 *   V2  each task in turn processes one record; nothing waits but for what user code has called: when a call returns, no task has anything
 *       left that it could do
 *   V3  outputs, changelogs and offsets of a task are there together, after its commit, and read before the next input
 */
import { bytesOfKey } from '../model/byte-key.js';
import { type Duration, durationMs } from '../model/duration.js';
import { InternalError, InvalidSettingError, QueryRefusedError, UnknownTopicError } from '../model/errors.js';
import { type Headers, NO_HEADERS } from '../model/record-set.js';
import { RecordSetBuilder } from '../model/record-set-builder.js';
import { parseTopicPartitionKey, type TopicPartition } from '../model/topic-partition.js';
import { Cell } from '../serde/cell.js';
import { lookUpTopic } from '../serde/lookups.js';
import type { Serde } from '../serde/serde.js';
import { createMemorySnapshotStore } from '../snapshots/memory/memory-snapshot-store.js';
import type { TransactionalStore } from '../state/byte-store.js';
import type { DroppedRecord } from '../task/task-output.js';
import type { StreamsApp } from '../topology/app.js';
import { defaultPartition } from '../topology/default-partitioner.js';
import { matchTopics } from '../topology/topic-patterns.js';
import { DriverGlobals } from './driver/driver-globals.js';
import { createDriverHost, type DriverHost } from './driver/driver-host.js';
import type {
  RawEntry,
  RawTestRecord,
  RestartOptions,
  TestDriverOptions,
  TestInput,
  TestRecord,
} from './driver/driver-options.js';
import { DriverTask } from './driver/driver-task.js';
import { DriverTopics } from './driver/driver-topics.js';
import { inOneTask } from './driver/one-task.js';
import { StoreAccess, type StoreAtHand } from './driver/store-access.js';
import { serdesByTopic, type TopicSerdes } from './topic-serdes.js';

/** Commits that one input may cause before the driver takes the topology for one that feeds itself for ever. */
const MAX_COMMITS_PER_INPUT = 100_000;

/**
 * Drives a topology record by record.
 *
 * Nothing is committed after an error: the driver then refuses to go on, with the same error, until {@link crash} has made its tasks
 * anew from what is committed.
 *
 * @example
 * const app = defineApp({ applicationId: 'test', topology: builder.build() });
 * const driver = await TopologyTestDriver.start(app);
 * await driver.pipeInput('text', { key: null, value: 'to be or not to be' });
 * driver.readOutput('counts', { key: string(), value: long() }); // { key: 'to', value: 1, … }
 * await driver.getKeyValueStore<string, number>('counts').get('be'); // 2
 * await driver.close();
 *
 * @example
 * // Three partitions, so three tasks; a crash changes nothing.
 * const driver = await TopologyTestDriver.start(app, { partitions: 3 });
 * await driver.pipeInput('text', { key: 'a', value: 'to be' }); // to the partition of its key
 * await driver.crash(); // stores are restored from their changelogs
 * await driver.pipeInput('text', { key: 'a', value: 'or not', partition: 2 });
 */
export class TopologyTestDriver extends StoreAccess {
  private readonly app: StreamsApp;
  private readonly host: DriverHost;
  private readonly topics: DriverTopics;
  private readonly serdes: ReadonlyMap<string, TopicSerdes>;
  private readonly recordsPerCommit: number;
  private readonly oneTask: boolean;
  private readonly snapshots = createMemorySnapshotStore();
  private globals: DriverGlobals;
  private tasks: readonly DriverTask[] = [];
  /** Ids of the tasks that die instead of making their next commit. */
  private readonly doomed = new Set<string>();
  private failure: { readonly thrown: unknown } | null = null;
  /** Resolves when the call that is at work is done, however it ends. */
  private working: Promise<void> = Promise.resolve();

  private constructor(
    app: StreamsApp,
    options: TestDriverOptions,
    made: { readonly host: DriverHost; readonly topics: DriverTopics; readonly globals: DriverGlobals },
  ) {
    super();
    this.app = app;
    this.host = made.host;
    this.topics = made.topics;
    this.globals = made.globals;
    this.recordsPerCommit = options.recordsPerCommit ?? 1;
    this.oneTask = options.oneTask ?? false;
    this.serdes = serdesByTopic(app);
  }

  /**
   * Makes topics and tasks and initialises their processors.
   *
   * @throws {ProcessingError} STREAMS_PROCESSING_FAILED · {UnconnectedStoreError} STREAMS_UNCONNECTED_STORE ·
   *   {NotCopartitionedError} STREAMS_NOT_COPARTITIONED if the partitions given do not fit the topology's joins ·
   *   {InvalidSettingError} STREAMS_INVALID_SETTING for options that are no whole numbers from 1
   */
  static async start(written: StreamsApp, options: TestDriverOptions = {}): Promise<TopologyTestDriver> {
    checkOptions(options);
    const matched = matchTopics(written, topicsGiven(options));
    const app = options.oneTask === true ? inOneTask(matched) : matched;
    const host = createDriverHost(options.wallClockMs ?? 0);
    const topics = await DriverTopics.create(app, host, options.partitions);
    const globals = await DriverGlobals.load({ app, host, topics });
    const driver = new TopologyTestDriver(app, options, { host, topics, globals });
    const tasks: DriverTask[] = [];
    for (const spec of topics.resolved.tasks)
      tasks.push(await DriverTask.open(driver.world, { spec, snapshots: driver.snapshots, punctuations: [] }));
    driver.tasks = tasks;
    return driver;
  }

  /** Ids of the tasks, by sub-topology and partition: `0_0`, `0_1`, `1_0` … */
  get taskIds(): readonly string[] {
    return this.tasks.map(({ spec }) => spec.taskId);
  }

  /** What the wall clock shows, in milliseconds since the epoch. */
  get wallClockMs(): number {
    return this.host.nowMs;
  }

  /** Records that did not go through, by reason, as far as they are committed. */
  get droppedRecords(): ReadonlyMap<DroppedRecord['reason'], number> {
    return new Map(this.host.dropped);
  }

  /**
   * Gives a record to a source topic and processes all that it causes.
   *
   * @param topic a topic that the topology reads; internal ones by their name on the broker
   * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC if no source reads the topic, or it has no such partition ·
   *   {SerializationError} STREAMS_SERIALIZATION_FAILED if key or value do not fit the source's serdes · {ProcessingError}
   *   STREAMS_PROCESSING_FAILED
   */
  async pipeInput<K, V>(topic: string, input: TestInput<K, V>): Promise<void> {
    const serdes = this.serdes.get(topic);
    if (serdes === undefined || !this.isRead(topic)) {
      throw new UnknownTopicError(`no source of the topology reads topic '${topic}'`, { details: { topic } });
    }
    await this.atWork(() => this.pipeValues(topic, serdes, input));
  }

  private async pipeValues<K, V>(topic: string, serdes: TopicSerdes, input: TestInput<K, V>): Promise<void> {
    await lookUpTopic(topic, serdes);
    const key = Cell.of<unknown>(input.key).bytes(serdes.key);
    const value = Cell.of<unknown>(input.value).bytes(serdes.value);
    const { timestampMs = this.host.nowMs, headers = NO_HEADERS, partition } = input;
    await this.pipe(topic, { key, value, timestampMs, headers }, partition);
  }

  /** As {@link pipeInput}, with bytes that need not be readable. */
  async pipeRaw(
    topic: string,
    key: Uint8Array | null,
    value: Uint8Array | null,
    timestampMs: number,
    headers: Headers = NO_HEADERS,
  ): Promise<void> {
    await this.pipe(topic, { key, value, timestampMs, headers }, undefined);
  }

  /**
   * Moves the wall clock on, calls the wall-clock punctuations that are due, and processes what they cause.
   *
   * It may be called while another call is at work: that one goes on until it waits for a function of `mapValuesAsync`, the time-outs that
   * are over then end at once, and the call is waited for before anything is punctuated. Not from within the topology, which would wait
   * for itself.
   */
  async advanceWallClockTime(by: Duration): Promise<void> {
    if (this.failure !== null) throw this.failure.thrown;
    const byMs = durationMs(by, 'advanceWallClockTime');
    await Promise.race([this.working, this.host.waits.untilWaiting()]);
    this.host.nowMs += byMs;
    this.host.waits.wakeDue();
    await this.working;
    await this.guarded(async () => {
      for (const each of this.tasks) {
        each.uncommitted += await each.task.punctuate(this.host.nowMs);
        if (this.recordsPerCommit === 1) await this.commitTask(each);
      }
      await this.processAll();
    });
  }

  /** Commits what the tasks have processed; to be called where `recordsPerCommit` leaves something uncommitted. */
  async commit(): Promise<void> {
    await this.guarded(async () => {
      for (const each of this.tasks) if (each.task.hasUncommitted) await this.commitTask(each);
      await this.processAll();
    });
  }

  /**
   * The next record of a topic that was not read yet, or undefined. Changelog and repartition topics can be read too, by their
   * names on the broker. Without serdes those of the topology are used, where it names one pair for the topic.
   */
  readOutput(topic: string): TestRecord<unknown, unknown> | undefined;
  readOutput<K, V>(topic: string, serdes: { key: Serde<K>; value: Serde<V> }): TestRecord<K, V> | undefined;
  readOutput(topic: string, serdes = this.serdesOf(topic)): TestRecord<unknown, unknown> | undefined {
    const raw = this.readRawOutput(topic);
    if (raw === undefined) return undefined;
    return {
      ...raw,
      key: raw.key === null ? null : serdes.key.deserialize(raw.key),
      value: raw.value === null ? null : serdes.value.deserialize(raw.value),
    };
  }

  /** All records of a topic that were not read yet, in order. */
  readOutputs(topic: string): readonly TestRecord<unknown, unknown>[];
  readOutputs<K, V>(topic: string, serdes: { key: Serde<K>; value: Serde<V> }): readonly TestRecord<K, V>[];
  readOutputs(topic: string, serdes = this.serdesOf(topic)): readonly TestRecord<unknown, unknown>[] {
    const read: TestRecord<unknown, unknown>[] = [];
    for (let record = this.readOutput(topic, serdes); record !== undefined; record = this.readOutput(topic, serdes)) {
      read.push(record);
    }
    return read;
  }

  /** As {@link readOutput}, with the bytes that lie in the topic. */
  readRawOutput(topic: string): RawTestRecord | undefined {
    const written = this.topics.takeWritten(topic);
    if (written === undefined) return undefined;
    const { key, value, timestampMs, headers } = written.record;
    return { key, value, timestampMs, headers, partition: written.partition };
  }

  /** Names on the broker of all topics written so far, internal ones included. Kafka: `producedTopicNames`. */
  get producedTopicNames(): readonly string[] {
    return this.topics.writtenNames;
  }

  /**
   * The committed content of a store as bytes, in order of its keys: the keys are those of its changelog, but for histories and windows
   * whose keys hold a time. Windows that are past their retention may still be among them: they are hidden first, and go with their
   * segment of time.
   *
   * @throws {QueryRefusedError} STREAMS_QUERY_REFUSED as `getStore`
   */
  readRawStore(name: string, partition?: number): readonly RawEntry[] {
    return [...this.bytesOf(name, partition).committed()].map(({ key, value, timestampMs }) => ({
      key: bytesOfKey(key),
      value,
      timestampMs,
    }));
  }

  /** Partitions of the tasks that have a store; that of a global store is 0, for all of it. */
  partitionsOf(name: string): readonly number[] {
    if (this.globals.stores.has(name)) return [0];
    return this.tasks.filter(({ stores }) => stores.has(name)).map(({ spec }) => spec.partition);
  }

  /** Writes a snapshot of each logged store with what is committed: later restarts begin with it. */
  async writeSnapshots(): Promise<void> {
    await this.guarded(async () => {
      for (const each of this.tasks) await each.writeSnapshots(this.snapshots);
    });
  }

  /** Cleans the changelogs as a broker does in time: later restarts find the last record of each key alone. */
  async compactChangelogs(): Promise<void> {
    await this.guarded(() => this.topics.compact());
  }

  /**
   * Lets a task, or the whole member, die with all that is not committed, and starts it anew: stores are restored, wall-clock
   * punctuations begin again, and what was not committed is processed once more. It also ends the state of error.
   *
   * @throws as {@link start} and {@link pipeInput}
   */
  async crash(options: RestartOptions = {}): Promise<void> {
    this.failure = null;
    await this.guarded(async () => {
      await this.startAnew(options, () => []);
      await this.processAll();
    });
  }

  /**
   * Commits, closes the processors in order and starts anew, as a member does that hands its tasks over: wall-clock punctuations go on.
   *
   * @throws as {@link start} and {@link pipeInput}
   */
  async restart(options: RestartOptions = {}): Promise<void> {
    await this.guarded(async () => {
      for (const each of this.tasks) {
        if (!isMeant(each, options)) continue;
        if (each.task.hasUncommitted) await this.commitTask(each);
      }
      for (const each of this.tasks) if (isMeant(each, options)) await each.task.close();
      await this.startAnew(options, ({ task }) => task.punctuations);
      await this.processAll();
    });
  }

  /**
   * Lets each task, or the one named, die when it is about to commit the next time, once: what it has processed till then is lost, and
   * processed again by its successor.
   *
   * @throws {QueryRefusedError} STREAMS_QUERY_REFUSED if there is no such task
   */
  crashBeforeCommit(options: Pick<RestartOptions, 'task'> = {}): void {
    this.expectTask(options);
    for (const each of this.tasks) if (isMeant(each, options)) this.doomed.add(each.spec.taskId);
  }

  /** Closes the processors. */
  async close(): Promise<void> {
    for (const { task } of this.tasks) await task.close();
    await this.globals.close();
  }

  private get world() {
    const { app, host, topics, oneTask } = this;
    return { app, host, topics, oneTask, globalStores: () => this.globals.stores };
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    if (this.failure !== null) throw this.failure.thrown;
    try {
      await this.atWork(work);
    } catch (thrown) {
      this.failure = { thrown };
      for (const each of this.tasks) each.rollback();
      throw thrown;
    }
  }

  private atWork(work: () => Promise<void>): Promise<void> {
    const done = work();
    this.working = done.catch(() => undefined);
    return done;
  }

  private async pipe(
    topic: string,
    record: Omit<RawTestRecord, 'partition'>,
    given: number | undefined,
  ): Promise<void> {
    const { key, value, timestampMs, headers } = record;
    const partition = given ?? defaultPartition(key, value, this.topics.counts.get(topic));
    this.topics.expectPartition({ topic, partition });
    await this.guarded(async () => {
      const builder = new RecordSetBuilder();
      builder.append(key, value, timestampMs, headers);
      await this.topics.append({ topic, partition }, builder.build());
      await this.spread({ topic, partition });
      await this.processAll();
    });
  }

  private async processAll(): Promise<void> {
    let commits = 0;
    for (let worked = true; worked; ) {
      worked = false;
      for (const { spec } of this.tasks) {
        const each = this.taskOf(spec.taskId);
        if (each.admitNext()) worked = true;
        const processed = await each.task.process(this.host.nowMs, 1);
        each.uncommitted += processed;
        if (processed > 0) worked = true;
        if (each.uncommitted < this.recordsPerCommit && (this.recordsPerCommit > 1 || !each.task.hasUncommitted))
          continue;
        worked = true;
        commits += 1;
        if (commits > MAX_COMMITS_PER_INPUT) throw new InternalError('one input keeps the topology busy for ever');
        await this.commitTask(each);
      }
    }
  }

  private async commitTask(each: DriverTask): Promise<void> {
    if (this.doomed.delete(each.spec.taskId)) {
      await this.startAnew({ task: each.spec.taskId }, () => []);
      return;
    }
    for (const key of await each.commit()) await this.spread(parseTopicPartitionKey(key));
  }

  /** Gives what a partition has gained to the tasks, and to the global store, that read it. */
  private async spread(partition: TopicPartition): Promise<void> {
    for (const each of this.tasks) if (each.reads(partition)) await each.feed(partition);
    await this.globals.follow(partition);
  }

  private async startAnew(
    options: RestartOptions,
    punctuations: (of: DriverTask) => DriverTask['task']['punctuations'],
  ): Promise<void> {
    this.expectTask(options);
    const snapshots = options.from === 'changelog' ? createMemorySnapshotStore() : this.snapshots;
    if (options.task === undefined) this.globals = await DriverGlobals.load(this.world);
    for (const old of this.tasks) {
      if (!isMeant(old, options)) continue;
      const { spec } = old;
      const opened = await DriverTask.open(this.world, { spec, snapshots, punctuations: punctuations(old) });
      this.tasks = this.tasks.map((each) => (each === old ? opened : each));
    }
  }

  private taskOf(id: string): DriverTask {
    const found = this.tasks.find(({ spec }) => spec.taskId === id);
    if (found === undefined) throw new InternalError(`there is no task ${id}`, { details: { task: id } });
    return found;
  }

  private expectTask({ task }: Pick<RestartOptions, 'task'>): void {
    if (task === undefined || this.taskIds.includes(task)) return;
    throw new QueryRefusedError(`the topology has no task '${task}'`, { details: { task, tasks: this.taskIds } });
  }

  private serdesOf(topic: string): TopicSerdes {
    const serdes = this.serdes.get(topic);
    if (serdes !== undefined) return serdes;
    throw new UnknownTopicError(`the topology does not tell the serdes of topic '${topic}': give them`, {
      details: { topic },
    });
  }

  private isRead(topic: string): boolean {
    return (
      this.globals.reads(topic) || this.tasks.some(({ spec }) => spec.inputs.some((input) => input.topic === topic))
    );
  }

  protected storeAtHand(name: string, partition: number | undefined): StoreAtHand {
    const spec = this.app.topology.stores.get(name);
    if (spec === undefined) {
      const stores = [...this.app.topology.stores.keys()];
      throw new QueryRefusedError(`the topology has no store '${name}'; it has ${listed(stores)}`, {
        details: { store: name, stores },
      });
    }
    return { spec, bytes: this.bytesOf(name, partition), context: { timestampMs: () => this.host.nowMs } };
  }

  private bytesOf(name: string, partition: number | undefined): TransactionalStore {
    const global = this.globals.stores.get(name);
    if (global !== undefined) return global;
    const holders = this.tasks.filter(({ stores }) => stores.has(name));
    const found = holders.filter(({ spec }) => partition === undefined || spec.partition === partition);
    const store = found[0]?.stores.get(name);
    if (store !== undefined && found.length === 1) return store;
    const partitions = holders.map(({ spec }) => spec.partition);
    throw new QueryRefusedError(
      partition === undefined
        ? `${holders.length} tasks have store '${name}': name the partition`
        : `no task has partition ${partition} of store '${name}'`,
      {
        details: { store: name, partitions },
        remedy: `Give one of ${partitions.join(', ')} after the name of the store; partitionsOf('${name}') lists them.`,
      },
    );
  }
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `'${name}'`).join(', ');
}

function isMeant({ spec }: DriverTask, { task }: Pick<RestartOptions, 'task'>): boolean {
  return task === undefined || spec.taskId === task;
}

/** What a test says that there is, for sources with a pattern. */
function topicsGiven({ topics = [], partitions }: TestDriverOptions): readonly string[] {
  return [...topics, ...(typeof partitions === 'object' ? Object.keys(partitions) : [])];
}

function checkOptions({ partitions, recordsPerCommit = 1, oneTask = false }: TestDriverOptions): void {
  if (oneTask && partitions !== undefined) {
    throw new InvalidSettingError('the driver was given partitions for one task', {
      details: { partitions, oneTask },
      remedy: 'Leave out partitions, or oneTask.',
    });
  }
  const counts = typeof partitions === 'object' ? Object.values(partitions) : [partitions ?? 1];
  const bad = [...counts, recordsPerCommit].find((count) => !Number.isSafeInteger(count) || count < 1);
  if (bad === undefined) return;
  throw new InvalidSettingError(`the driver was given ${bad}`, {
    details: { partitions, recordsPerCommit },
    remedy: 'Give partitions and recordsPerCommit as whole numbers from 1.',
  });
}
