/**
 * A topology in a test: records in, records out, no log and no waiting. Kafka: `TopologyTestDriver`.
 *
 * Every topic has one partition and every sub-topology one task. Records of a global store's topic are in the store at once. After each record the driver calls the stream-time
 * punctuations, commits, and gives records written to topics that the topology reads back to it, before the next input.
 */
import { type Duration, durationMs } from '../model/duration.js';
import { InternalError, QueryRefusedError, UnknownTopicError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { type Headers, type LogRecord, NO_HEADERS, RecordSet } from '../model/record-set.js';
import { RecordSetBuilder } from '../model/record-set-builder.js';
import { taskId } from '../model/task-id.js';
import { parseTopicPartitionKey, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import { Cell } from '../serde/cell.js';
import type { Serde } from '../serde/serde.js';
import type { TransactionalStore } from '../state/byte-store.js';
import { createStores } from '../state/create-stores.js';
import type { StateStore } from '../state/state-store.js';
import { createStreamTask } from '../task/create-task.js';
import { createGlobalTask, type GlobalTask } from '../task/global-task.js';
import type { StreamTask } from '../task/stream-task.js';
import type { StreamsApp } from '../topology/app.js';
import { serdesByTopic, type TopicSerdes } from './topic-serdes.js';

/** Commits that one input may cause before the driver takes the topology for one that feeds itself for ever. */
const MAX_COMMITS_PER_INPUT = 100_000;

/** A record given to a topology. */
export interface TestInput<K, V> {
  readonly key: K | null;
  readonly value: V | null;
  /** Milliseconds since the epoch; default: the driver's wall clock. */
  readonly timestampMs?: number;
  readonly headers?: Headers;
}

/** A record that a topology wrote. Kafka: `TestRecord`. */
export interface TestRecord<K, V> {
  readonly key: K;
  readonly value: V;
  readonly timestampMs: number;
  readonly headers: Headers;
}

export interface TestDriverOptions {
  /** What the wall clock shows at first, in milliseconds since the epoch; default 0. */
  readonly wallClockMs?: number;
}

interface DriverTask {
  readonly task: StreamTask;
  readonly stores: readonly TransactionalStore[];
}

interface TopicLog {
  /** Offset of the next record, whoever writes it. */
  endOffset: number;
  /** What the topology wrote. */
  readonly written: LogRecord[];
  /** Index of the first written record that was not read out yet. */
  next: number;
}

/** "Every topic has one partition", as a map. */
class OnePartitionEach extends Map<string, number> {
  override get(): number {
    return 1;
  }
}

/**
 * Drives a topology record by record.
 *
 * Nothing is committed after an error: the driver then refuses to go on, with the same error.
 *
 * @example
 * const app = defineApp({ applicationId: 'test', topology: builder.build() });
 * const driver = await TopologyTestDriver.start(app);
 * await driver.pipeInput('text', { key: null, value: 'to be or not to be' });
 * driver.readOutput('counts', { key: string(), value: long() }); // { key: 'to', value: 1, … }
 * await driver.getStore<KeyValueStore<string, number>>('counts').get('be'); // 2
 * await driver.close();
 */
export class TopologyTestDriver {
  private readonly app: StreamsApp;
  private readonly stores: ReadonlyMap<string, TransactionalStore>;
  private readonly tasks: readonly DriverTask[];
  /** By topic. */
  private readonly globals: ReadonlyMap<string, GlobalTask>;
  private readonly serdes: ReadonlyMap<string, TopicSerdes>;
  private readonly topics = new Map<string, TopicLog>();
  private nowMs: number;
  private failure: { readonly thrown: unknown } | null = null;

  private constructor(app: StreamsApp, options: TestDriverOptions) {
    this.app = app;
    this.nowMs = options.wallClockMs ?? 0;
    this.serdes = serdesByTopic(app);
    this.stores = createStores(app.topology.stores.values());
    const globals = [...app.topology.globalStores.values()];
    const globalStores = new Map(globals.map(({ store }) => [store, this.bytesOf(store)]));
    this.globals = new Map(
      globals.map(({ store, topic }) => [
        topic,
        createGlobalTask({ app, storeName: store, store: this.bytesOf(store), nowMs: this.nowMs }),
      ]),
    );
    this.tasks = app.topology.subTopologies.map((part) => ({
      task: createStreamTask({
        app,
        taskId: taskId(part.id, 0),
        partitionCounts: new OnePartitionEach(),
        stores: this.stores,
        globalStores,
        committed: new Map(),
        nowMs: this.nowMs,
      }),
      stores: part.stores.map((name) => this.bytesOf(name)),
    }));
  }

  /**
   * Makes the tasks and initialises their processors.
   *
   * @throws {ProcessingError} STREAMS_PROCESSING_FAILED · {UnconnectedStoreError} STREAMS_UNCONNECTED_STORE
   */
  static async start(app: StreamsApp, options: TestDriverOptions = {}): Promise<TopologyTestDriver> {
    const driver = new TopologyTestDriver(app, options);
    for (const global of driver.globals.values()) await global.init();
    for (const { task } of driver.tasks) {
      await task.init();
      for (const input of task.inputs) driver.offer(task, input.topic, RecordSet.EMPTY, 0);
    }
    return driver;
  }

  /**
   * Gives a record to a source topic and processes all that it causes.
   *
   * @param topic a topic that the topology reads; internal ones by their name on the broker
   * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC if no source reads the topic · {SerializationError}
   *   STREAMS_SERIALIZATION_FAILED if key or value do not fit the source's serdes · {ProcessingError} STREAMS_PROCESSING_FAILED
   */
  async pipeInput<K, V>(topic: string, input: TestInput<K, V>): Promise<void> {
    const serdes = this.serdes.get(topic);
    if (serdes === undefined || !this.isRead(topic)) {
      throw new UnknownTopicError(`no source of the topology reads topic '${topic}'`, { details: { topic } });
    }
    const key = Cell.of<unknown>(input.key).bytes(serdes.key);
    const value = Cell.of<unknown>(input.value).bytes(serdes.value);
    await this.pipeRaw(topic, key, value, input.timestampMs ?? this.nowMs, input.headers);
  }

  /** As {@link pipeInput}, with bytes that need not be readable. */
  async pipeRaw(
    topic: string,
    key: Uint8Array | null,
    value: Uint8Array | null,
    timestampMs: number,
    headers: Headers = NO_HEADERS,
  ): Promise<void> {
    await this.guarded(async () => {
      const builder = new RecordSetBuilder();
      builder.append(key, value, timestampMs, headers);
      await this.append(topic, builder.build());
      await this.processAll();
    });
  }

  /** Moves the wall clock on, calls the wall-clock punctuations that are due, and processes what they cause. */
  async advanceWallClockTime(by: Duration): Promise<void> {
    await this.guarded(async () => {
      this.nowMs += durationMs(by, 'advanceWallClockTime');
      for (const each of this.tasks) {
        await each.task.punctuate(this.nowMs);
        await this.commit(each);
      }
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
    const log = this.topics.get(topic);
    const record = log?.written[log.next];
    if (log === undefined || record === undefined) return undefined;
    log.next += 1;
    return {
      key: record.key === null ? null : serdes.key.deserialize(record.key),
      value: record.value === null ? null : serdes.value.deserialize(record.value),
      timestampMs: record.timestampMs,
      headers: record.headers,
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

  /** Names on the broker of all topics written so far, internal ones included. Kafka: `producedTopicNames`. */
  get producedTopicNames(): readonly string[] {
    return [...this.topics].filter(([, log]) => log.written.length > 0).map(([name]) => name);
  }

  /**
   * A store with its committed content.
   *
   * @throws {QueryRefusedError} STREAMS_QUERY_REFUSED if the topology has no store of that name
   */
  getStore<S extends StateStore>(name: string): S {
    const spec = this.app.topology.stores.get(name);
    if (spec === undefined)
      throw new QueryRefusedError(`the topology has no store '${name}'`, { details: { store: name } });
    return spec.open(this.bytesOf(name), { timestampMs: () => this.nowMs }) as S;
  }

  /** Closes the processors. */
  async close(): Promise<void> {
    for (const { task } of this.tasks) await task.close();
    for (const global of this.globals.values()) await global.close();
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    if (this.failure !== null) throw this.failure.thrown;
    try {
      await work();
    } catch (thrown) {
      this.failure = { thrown };
      for (const store of this.stores.values()) store.rollback();
      throw thrown;
    }
  }

  private async processAll(): Promise<void> {
    let commits = 0;
    for (let worked = true; worked; ) {
      worked = false;
      for (const each of this.tasks) {
        const processed = await each.task.process(this.nowMs, 1);
        if (processed === 0 && !each.task.hasUncommitted) continue;
        worked = true;
        commits += 1;
        if (commits > MAX_COMMITS_PER_INPUT) throw new InternalError('one input keeps the topology busy for ever');
        await this.commit(each);
      }
    }
  }

  private async commit({ task, stores }: DriverTask): Promise<void> {
    const output = await task.seal();
    for (const store of stores) store.commit();
    await this.appendAll(output.outputs);
    await this.appendAll(output.changelogs);
  }

  private async appendAll(output: ReadonlyMap<TopicPartitionKey, RecordSet>): Promise<void> {
    for (const [key, records] of output) {
      const { topic } = parseTopicPartitionKey(key);
      this.logOf(topic).written.push(...records);
      await this.append(topic, records);
    }
  }

  /** Gives records to the tasks, and to the global store, that read the topic. */
  private async append(topic: string, records: RecordSet): Promise<void> {
    const log = this.logOf(topic);
    const from = log.endOffset;
    log.endOffset += records.size;
    for (const { task } of this.tasks) if (reads(task, topic)) this.offer(task, topic, records, from);
    const global = this.globals.get(topic);
    if (global === undefined) return;
    const numbered = withOffsets(records, from);
    for (let at = 0; at < numbered.size; ) at = await global.apply({ partition: 0, records: numbered }, at, this.nowMs);
  }

  private offer(task: StreamTask, topic: string, records: RecordSet, fromOffset: number): void {
    const nextOffset = (fromOffset + records.size) as Offset;
    const numbered = withOffsets(records, fromOffset);
    task.addRecords({ topic, partition: 0, records: numbered, nextOffset, endOffset: nextOffset });
  }

  private serdesOf(topic: string): TopicSerdes {
    const serdes = this.serdes.get(topic);
    if (serdes !== undefined) return serdes;
    throw new UnknownTopicError(`the topology does not tell the serdes of topic '${topic}': give them`, {
      details: { topic },
    });
  }

  private isRead(topic: string): boolean {
    return this.globals.has(topic) || this.tasks.some(({ task }) => reads(task, topic));
  }

  private logOf(topic: string): TopicLog {
    const known = this.topics.get(topic);
    if (known !== undefined) return known;
    const log: TopicLog = { endOffset: 0, written: [], next: 0 };
    this.topics.set(topic, log);
    return log;
  }

  private bytesOf(name: string): TransactionalStore {
    const store = this.stores.get(name);
    if (store === undefined) throw new InternalError(`there is no store ${name}`, { details: { store: name } });
    return store;
  }
}

function withOffsets(records: RecordSet, fromOffset: number): RecordSet {
  const builder = new RecordSetBuilder();
  for (const { key, value, timestampMs, headers } of records) {
    builder.append(key, value, timestampMs, headers, fromOffset + builder.size);
  }
  return builder.build();
}

function reads(task: StreamTask, topic: string): boolean {
  const key = topicPartitionKey({ topic, partition: 0 });
  return task.inputs.some((input) => topicPartitionKey(input) === key);
}
