/**
 * One task at work: queues, the fused graph of its nodes, its clocks, and what it has written since the last seal.
 * Kafka: `StreamTask`.
 *
 * It does no IO and knows no clock: records and the time come in, a sealed value goes out. Nothing in it depends on whether a
 * sealed value was committed, so that several may be in flight.
 */
import { type Awaitable, andThen, forEachInOrder, isPromise } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import { InternalError } from '../model/errors.js';
import type { Settings } from '../model/settings.js';
import { parseTaskId, type TaskId } from '../model/task-id.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { Sleep } from '../processor/engine-context.js';
import type { StreamRecord } from '../processor/stream-record.js';
import { internalTopicName, topicName } from '../topology/app.js';
import { timestampExtractorOf } from '../topology/default-timestamp-extractor.js';
import { type SubTopology, subTopologyOf } from '../topology/topology.js';
import { type CommitMetadata, decodeCommitMetadata } from './commit-metadata.js';
import { RecordGate } from './deserialization.js';
import { FailurePolicy } from './failure-policy.js';
import { GlobalReads } from './global-reads.js';
import { deliverToAll, type Receiver } from './node.js';
import type { TaskServices } from './node-context.js';
import { buildNodeGraph, type NodeGraph } from './node-graph.js';
import { OperatorMarks } from './operator-marks.js';
import { OperatorTimes } from './operator-times.js';
import { OutputCollector } from './output-collector.js';
import { PartitionGroup } from './partition-group.js';
import { decodeProcessorMetadata, encodeProcessorMetadata, mergeProcessorMetadata } from './processor-metadata.js';
import type { RunningProcessor } from './processor-node.js';
import { PunctuationOrder } from './punctuation-order.js';
import { PunctuationSchedule } from './punctuation-schedule.js';
import { type QueueCommit, RecordQueue } from './record-queue.js';
import { RefusedRecords } from './refused-records.js';
import { lookUpTask } from './serde-lookups.js';
import type { FetchedRecords, ScheduledPunctuation, StreamTask, StreamTaskInit } from './stream-task.js';
import type { TaskOutput } from './task-output.js';
import { TaskScope } from './task-scope.js';
import { TaskStores } from './task-stores.js';

/**
 * Makes a task from committed offsets and restored stores.
 *
 * @throws {ProcessingError} STREAMS_PROCESSING_FAILED if a processor's supplier throws
 */
export function createStreamTask(init: StreamTaskInit): StreamTask {
  return new RunningTask(init);
}

class RunningTask implements StreamTask {
  readonly taskId: TaskId;
  readonly inputs: readonly TopicPartition[];
  private readonly sleep: Sleep | null;
  private readonly scope: TaskScope;
  private readonly outputs: OutputCollector;
  private readonly failures: FailurePolicy;
  private readonly stores: TaskStores;
  private readonly times: OperatorTimes;
  private readonly marks: OperatorMarks;
  /** Looks up what serdes need before the task begins. */
  private readonly lookUps: () => Promise<void> | undefined;
  private readonly storeNames: readonly string[];
  private readonly globals: GlobalReads;
  private readonly graph: NodeGraph;
  private readonly group: PartitionGroup;
  private readonly receivers = new Map<RecordQueue, readonly Receiver[]>();
  private readonly maxBuffered: number;
  private readonly streamTimePunctuations = new PunctuationSchedule();
  private readonly wallClockPunctuations = new PunctuationSchedule();
  private punctuationOrder: PunctuationOrder | null = null;
  private readonly flushes: (() => Awaitable<void>)[] = [];
  private readonly beforeEach: ((key: ByteKey | null) => Awaitable<void>)[] = [];
  private readonly afterEach: (() => Awaitable<void>)[] = [];
  /** Processors whose `init` was called and whose `close` was not. */
  private readonly begun: RunningProcessor[] = [];
  private initialising = true;
  /** Of the run before; those that `init` has scheduled again are taken out. */
  private readonly remembered: ScheduledPunctuation[];
  private processed = 0;
  /** Processor metadata as it was last sealed. */
  private sealedMetadata: Uint8Array;

  constructor(init: StreamTaskInit) {
    const { app, taskId } = init;
    const settings = init.settings ?? app.settings;
    const { subTopology, partition } = parseTaskId(taskId);
    const part = subTopologyOf(app.topology, subTopology);
    if (part === undefined)
      throw new InternalError(`there is no sub-topology for task ${taskId}`, { details: { taskId } });
    this.taskId = taskId;
    this.sleep = init.sleep ?? null;
    this.scope = new TaskScope(app.applicationId, taskId, init.nowMs);
    this.outputs = new OutputCollector(init.partitionCounts);
    const { scope, outputs } = this;
    this.failures = new FailurePolicy({ settings, handlers: app.handlers ?? {}, outputs, scope });
    this.stores = new TaskStores(app, part, partition, init.stores, this.scope, {
      maxRequestSize: settings.maxRequestSize,
      stateBytes: init.stateBytes ?? Number.POSITIVE_INFINITY,
    });
    this.lookUps = () => lookUpTask(app, part, init.stores);
    this.storeNames = [...app.topology.stores.keys()];
    this.globals = new GlobalReads(app.topology, init.globalStores ?? new Map());
    this.graph = buildNodeGraph(app, part, this.services(settings, init.refused ?? new RefusedRecords()), this.outputs);
    this.remembered = [...(init.punctuations ?? [])];
    this.maxBuffered = settings.bufferedRecordsPerPartition;
    this.inputs = inputsOf(init, part, partition);
    this.group = new PartitionGroup(
      this.inputs.map((input) => this.queueFor(input, init)),
      settings.maxTaskIdleMs,
    );
    const committed = this.inputs.map((input) =>
      decodeProcessorMetadata(committedMetadata(init, input).processorMetadata),
    );
    const restored = mergeProcessorMetadata(committed);
    this.stores.resume(restored);
    this.times = new OperatorTimes(restored);
    this.marks = new OperatorMarks(committed);
    this.sealedMetadata = this.metadata();
    for (const { partitionTimeMs } of this.group.queues) {
      this.scope.streamTimeMs = Math.max(this.scope.streamTimeMs, partitionTimeMs);
    }
  }

  init(): Awaitable<void> {
    const lookUps = this.lookUps();
    return lookUps === undefined ? this.initProcessors() : lookUps.then(() => this.initProcessors());
  }

  private initProcessors(): Awaitable<void> {
    return andThen(
      forEachInOrder(this.graph.processors, (processor) => {
        this.begun.push(processor);
        return processor.init();
      }),
      () => {
        this.initialising = false;
        this.punctuationOrder = new PunctuationOrder(this.streamTimePunctuations, this.marks);
        this.stores.expectProgressFits([...this.times.names, ...this.marks.names]);
      },
    );
  }

  addRecords(fetched: FetchedRecords): void {
    this.group.add(topicPartitionKey(fetched), fetched);
    this.stores.prefetch(fetched.records);
  }

  wants(input: TopicPartitionKey): boolean {
    return this.group.queue(input).size < this.maxBuffered;
  }

  process(nowMs: number, maxRecords: number): Awaitable<number> {
    this.scope.wallClockMs = nowMs;
    const lookUps = this.group.lookUp();
    if (lookUps !== undefined) return lookUps.then(() => this.processFrom(0, nowMs, maxRecords));
    return this.processFrom(0, nowMs, maxRecords);
  }

  punctuate(nowMs: number): Awaitable<number> {
    this.scope.wallClockMs = nowMs;
    return this.wallClockPunctuations.callDue(nowMs);
  }

  get nextPunctuationMs(): number | null {
    const { nextDueMs } = this.wallClockPunctuations;
    return nextDueMs === Number.POSITIVE_INFINITY ? null : nextDueMs;
  }

  get punctuations(): readonly ScheduledPunctuation[] {
    return this.wallClockPunctuations.scheduled;
  }

  get pendingBytes(): number {
    return this.outputs.pendingBytes + this.stores.pendingBytes;
  }

  get hasUncommitted(): boolean {
    return this.scope.dirty || this.group.queues.some((queue) => queue.hasMoved);
  }

  seal(): Awaitable<TaskOutput> {
    return andThen(
      forEachInOrder(this.flushes, (flush) => flush()),
      () => this.sealed(),
    );
  }

  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const processor of this.begun.splice(0)) {
      try {
        await processor.close();
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    this.stores.close();
    if (failures.length > 0) throw failures[0];
  }

  /** Runs synchronously up to the first promise, and from there on asynchronously as far as the next record. */
  private processFrom(done: number, nowMs: number, maxRecords: number): Awaitable<number> {
    let count = done;
    while (count < maxRecords) {
      const queue = this.group.choose(nowMs);
      if (queue === null) break;
      const pending = this.processNext(queue);
      count += 1;
      if (isPromise(pending)) return this.continueAfter(pending, count, nowMs, maxRecords);
    }
    return count;
  }

  private async continueAfter(first: Promise<void>, done: number, nowMs: number, maxRecords: number): Promise<number> {
    let pending: Awaitable<void> = first;
    for (let count = done; ; count += 1) {
      await pending;
      const queue = count < maxRecords ? this.group.choose(nowMs) : null;
      if (queue === null) return count;
      pending = this.processNext(queue);
    }
  }

  private processNext(queue: RecordQueue): Awaitable<void> {
    const { scope } = this;
    scope.offset = queue.headOffset();
    const fetched = queue.headSet();
    const index = queue.headIndex;
    const record = queue.take();
    scope.begin(fetched, index, record.timestampMs);
    if (record.timestampMs > scope.streamTimeMs) scope.streamTimeMs = record.timestampMs;
    scope.dirty = true;
    this.processed += 1;
    if (this.beforeEach.length === 0) return this.deliver(queue, record);
    const key = record.keyCell.byteKey(queue.source.keySerde);
    return andThen(
      forEachInOrder(this.beforeEach, (call) => call(key)),
      () => this.deliver(queue, record),
    );
  }

  private deliver(queue: RecordQueue, record: StreamRecord<unknown, unknown>): Awaitable<void> {
    this.scope.origin = queue.input;
    const receivers = this.receivers.get(queue) as readonly Receiver[];
    const pending = deliverToAll(receivers, record);
    if (isPromise(pending)) return pending.then(() => this.afterRecord());
    return this.afterRecord();
  }

  private afterRecord(): Awaitable<void> {
    this.scope.origin = null;
    this.stores.removeEnded();
    if (this.afterEach.length === 0) return this.punctuateStreamTime();
    return andThen(
      forEachInOrder(this.afterEach, (call) => call()),
      () => this.punctuateStreamTime(),
    );
  }

  private punctuateStreamTime(): Awaitable<void> {
    if (this.streamTimePunctuations.nextDueMs > this.scope.streamTimeMs) return;
    const called = this.streamTimePunctuations.callDue(this.scope.streamTimeMs);
    if (isPromise(called)) return called.then(() => undefined);
  }

  /** Offsets that have moved. Progress of stores without any (a punctuation wrote) is committed with one that has not. */
  private sealedOffsets(): TaskOutput['offsets'] {
    this.punctuationOrder?.note();
    const metadata = this.metadata();
    const hasProgress = Buffer.compare(metadata, this.sealedMetadata) !== 0;
    const offsets = new Map<TopicPartitionKey, QueueCommit>();
    for (const queue of this.group.queues) {
      const moved = queue.seal(metadata);
      if (moved !== null) offsets.set(queue.key, moved);
    }
    for (const queue of this.group.queues) {
      if (!hasProgress || offsets.size > 0) break;
      const again = queue.sealAnyway(metadata);
      if (again !== null) offsets.set(queue.key, again);
    }
    if (offsets.size > 0) this.sealedMetadata = metadata;
    return offsets;
  }

  /** What stores and operators have come to, as it is committed. */
  private metadata(): Uint8Array {
    const grown = mergeProcessorMetadata([this.stores.metadata, this.times.metadata]);
    return encodeProcessorMetadata(new Map([...grown, ...this.marks.metadata]));
  }

  private sealed(): TaskOutput {
    const offsets = this.sealedOffsets();
    const output: TaskOutput = {
      taskId: this.taskId,
      outputs: this.outputs.seal(),
      changelogs: this.stores.seal(),
      offsets,
      dropped: this.scope.dropped.take(),
      recordsProcessed: this.processed,
    };
    this.processed = 0;
    this.scope.dirty = false;
    return output;
  }

  private services({ statestoreCacheMaxBytes, maxRequestSize }: Settings, refused: RefusedRecords): TaskServices {
    return {
      scope: this.scope,
      failures: this.failures,
      maxRequestSize,
      refused,
      cacheMaxBytes: Math.ceil(statestoreCacheMaxBytes / Math.max(1, this.stores.cachedCount)),
      openStore: (name, clock) => this.stores.open(name, clock),
      storeNames: this.storeNames,
      openGlobalStore: (name) => this.globals.open(name),
      schedule: (type, intervalMs, call) =>
        type === 'streamTime'
          ? this.streamTimePunctuations.add(this.firstStreamTimeDue(intervalMs), intervalMs, call)
          : this.wallClockPunctuations.add(this.firstWallClockDue(intervalMs), intervalMs, call),
      onFlush: (flush) => {
        this.flushes.push(flush);
      },
      onRecord: (call) => {
        this.beforeEach.push(call);
      },
      onRecordDone: (call) => {
        this.afterEach.push(call);
      },
      holdRecord: () => this.scope.holdRecord(),
      sleep: this.sleep,
      committedTime: (name) => this.times.open(name),
      committedMark: (name) => this.marks.open(name),
    };
  }

  /**
   * Kafka's grid begins at 0. A task that starts again goes on with the point after its restored stream time, as the task before it
   * would have: Kafka Streams punctuates once more there.
   */
  private firstStreamTimeDue(intervalMs: number): number {
    const { streamTimeMs } = this.scope;
    return this.initialising && streamTimeMs >= 0 ? (Math.floor(streamTimeMs / intervalMs) + 1) * intervalMs : 0;
  }

  private firstWallClockDue(intervalMs: number): number {
    const at = this.initialising ? this.remembered.findIndex((one) => one.intervalMs === intervalMs) : -1;
    const [before] = at < 0 ? [] : this.remembered.splice(at, 1);
    return before?.dueMs ?? this.scope.wallClockMs + intervalMs;
  }

  private queueFor(input: TopicPartition, init: StreamTaskInit): RecordQueue {
    const source = this.graph.sources.get(input.topic);
    if (source === undefined) throw new InternalError(`no source reads ${input.topic}`, { details: { ...input } });
    const { failures, scope } = this;
    const extractor = timestampExtractorOf({ ...init.app, settings: init.settings ?? init.app.settings }, source.node);
    const { repartitionTopics } = init.app.topology;
    const isInternal = [...repartitionTopics.keys()].some((name) => internalTopicName(init.app, name) === input.topic);
    const gate = new RecordGate(input, source.node, { failures, scope, extractor, isInternal });
    const committedOffset = init.committed.get(topicPartitionKey(input))?.nextOffset ?? null;
    const queue = new RecordQueue(input, gate, committedMetadata(init, input), committedOffset);
    this.receivers.set(queue, source.children);
    return queue;
  }
}

/**
 * The task's partition of each source topic that has that many, in the order in which the topology's sources were added: what is
 * upstream in a topology is added first, and so among records of one time is processed first.
 */
function inputsOf(init: StreamTaskInit, part: SubTopology, partition: number): readonly TopicPartition[] {
  const sources = part.nodes.flatMap((name) => {
    const node = init.app.topology.nodes.get(name);
    return node?.kind === 'source' ? node.topics : [];
  });
  return [...new Set(sources)]
    .map((name) => topicName(init.app, name))
    .filter((topic) => partition < (init.partitionCounts.get(topic) ?? Number.POSITIVE_INFINITY))
    .map((topic) => ({ topic, partition }));
}

function committedMetadata({ committed }: StreamTaskInit, input: TopicPartition): CommitMetadata {
  return decodeCommitMetadata(committed.get(topicPartitionKey(input))?.metadata ?? '');
}
