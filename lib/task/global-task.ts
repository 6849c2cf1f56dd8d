/**
 * Keeps one global store from the records of its topic, through the store's own processor. Kafka: `GlobalStateUpdateTask`.
 *
 * It does no IO: records come in, and the store's image has what they made of it. Loading a store and following its topic are the
 * same: each record goes through the processor, so that a store which is built anew is what it was (KAFKA-7663). Unlike Kafka
 * Streams that is also so for a global table, which would else take unreadable records after a restart that it refused before. As
 * there, records have their own timestamps: no extractor is asked.
 *
 * Invariants
 *   G1  records of one partition are applied in their order, and none twice; partitions are not ordered among each other
 *   G2  the image holds what whole calls of {@link GlobalTask.apply} have made: one that fails leaves nothing of it
 *   G3  handlers and settings decide about records that fail, as in a task; what is dropped is counted, by each member for itself, and
 *       there is no dead letter of it, which each would write
 */
import { type Awaitable, isPromise } from '../model/awaitable.js';
import { FAILURE_SETTINGS } from '../model/dead-letter-topics.js';
import { InternalError, TopologyError } from '../model/errors.js';
import type { RecordSet } from '../model/record-set.js';
import type { Settings } from '../model/settings.js';
import type { TaskId } from '../model/task-id.js';
import type { TransactionalStore } from '../state/byte-store.js';
import type { StreamsApp } from '../topology/app.js';
import type { ProcessorNode, SourceNode } from '../topology/node.js';
import { RecordGate } from './deserialization.js';
import { FailurePolicy } from './failure-policy.js';
import type { TaskServices } from './node-context.js';
import { OutputCollector } from './output-collector.js';
import { RunningProcessor } from './processor-node.js';
import { RefusedRecords } from './refused-records.js';
import { lookUpStore } from './serde-lookups.js';
import type { DroppedRecord } from './task-output.js';
import { TaskScope } from './task-scope.js';
import { TaskStore } from './task-store.js';

/** As in Kafka Streams: a global store belongs to no task. */
const NO_TASK = '-1_-1' as TaskId;
/** It has no sinks. */
const NO_OUTPUTS = new OutputCollector(new Map());
/** What a timestamp extractor would be told of the time so far. */
const NO_TIME_MS = -1;
/** Records applied between two looks at whoever else wants a turn. */
const SLICE_RECORDS = 1_000;

export interface GlobalTaskInit {
  readonly app: StreamsApp;
  /** Name of the global store. */
  readonly storeName: string;
  /** Its content so far: empty, or as an earlier one of these has left it. */
  readonly store: TransactionalStore;
  /** Wall clock of the start, in milliseconds. */
  readonly nowMs: number;
}

/** Records of one partition, in order, to be applied. */
export interface GlobalRecords {
  readonly partition: number;
  readonly records: RecordSet;
}

export interface GlobalTask {
  /** Lets the serdes look up what they need, then initialises the processor. Call once, first. */
  init(): Awaitable<void>;
  /**
   * Applies up to 1,000 records from `index` on.
   *
   * @returns the index of the first that was not applied; after an error nothing but `close` is legal
   * @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED by handler `fail` · {ProcessingError} STREAMS_PROCESSING_FAILED
   */
  apply(from: GlobalRecords, index: number, nowMs: number): Awaitable<number>;
  /** What was dropped since the last call. */
  takeDropped(): readonly DroppedRecord[];
  /** Closes the processor, if it was initialised. May be called twice. */
  close(): Awaitable<void>;
}

/** @throws {ProcessingError} STREAMS_PROCESSING_FAILED if the processor's supplier throws */
export function createGlobalTask(init: GlobalTaskInit): GlobalTask {
  return new RunningGlobalTask(init);
}

class RunningGlobalTask implements GlobalTask {
  private readonly store: TransactionalStore;
  private readonly scope: TaskScope;
  private readonly bytes: TaskStore;
  private readonly source: SourceNode;
  private readonly topic: string;
  private readonly failures: FailurePolicy;
  private readonly processor: RunningProcessor;
  private readonly gates = new Map<number, RecordGate>();
  private readonly lookUps: () => Promise<void> | undefined;
  private isOpen = false;
  /** The records of which the serdes have looked up what they need. */
  private lookedUp: RecordSet | null = null;

  constructor({ app, storeName, store, nowMs }: GlobalTaskInit) {
    const global = app.topology.globalStores.get(storeName);
    const source = app.topology.nodes.get(global?.source ?? '');
    const processor = app.topology.nodes.get(global?.processor ?? '');
    if (global === undefined || source?.kind !== 'source' || processor?.kind !== 'processor')
      throw new InternalError(`the topology has no global store ${storeName}`, { details: { store: storeName } });
    this.store = store;
    this.topic = global.topic;
    this.source = source;
    this.scope = new TaskScope(app.applicationId, NO_TASK, nowMs);
    this.failures = new FailurePolicy({
      settings: withoutDeadLetters(app.settings),
      handlers: app.handlers ?? {},
      outputs: NO_OUTPUTS,
      scope: this.scope,
    });
    this.bytes = new TaskStore(storeName, store, this.scope);
    this.processor = new RunningProcessor(processor, this.services(app, processor));
    const spec = app.topology.stores.get(storeName);
    this.lookUps = () => (spec === undefined ? undefined : lookUpStore(app, spec, store));
  }

  init(): Awaitable<void> {
    const lookUps = this.lookUps();
    return lookUps === undefined ? this.begin() : lookUps.then(() => this.begin());
  }

  apply(from: GlobalRecords, index: number, nowMs: number): Awaitable<number> {
    const lookUps = this.lookedUp === from.records ? undefined : this.gate(from.partition).lookUp(from.records);
    this.lookedUp = from.records;
    return lookUps === undefined ? this.applySlice(from, index, nowMs) : this.applyAfter(lookUps, from, index, nowMs);
  }

  private async applyAfter(lookUps: Promise<void>, from: GlobalRecords, index: number, nowMs: number): Promise<number> {
    try {
      await lookUps;
    } catch (thrown) {
      this.store.rollback();
      throw thrown;
    }
    return this.applySlice(from, index, nowMs);
  }

  private begin(): Awaitable<void> {
    this.isOpen = true;
    return this.processor.init();
  }

  private applySlice({ partition, records }: GlobalRecords, index: number, nowMs: number): Awaitable<number> {
    this.scope.wallClockMs = nowMs;
    this.scope.origin = { topic: this.topic, partition };
    const end = Math.min(records.size, index + SLICE_RECORDS);
    try {
      const pending = this.applyUntil({ partition, records }, index, end);
      return isPromise(pending) ? this.finish(pending, end) : this.applied(end);
    } catch (thrown) {
      this.store.rollback();
      throw thrown;
    }
  }

  takeDropped(): readonly DroppedRecord[] {
    return this.scope.dropped.take();
  }

  close(): Awaitable<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    const closing = this.processor.close();
    if (isPromise(closing)) return closing.finally(() => this.bytes.close());
    this.bytes.close();
  }

  /** Runs synchronously up to the first promise. */
  private applyUntil(from: GlobalRecords, index: number, end: number): Awaitable<void> {
    for (let at = index; at < end; at += 1) {
      const pending = this.applyOne(from, at);
      if (isPromise(pending)) return pending.then(() => this.applyUntil(from, at + 1, end));
    }
  }

  private applyOne({ partition, records }: GlobalRecords, index: number): Awaitable<void> {
    const record = this.gate(partition).admit(records, index, NO_TIME_MS);
    if (record === null) return;
    this.scope.offset = records.offsets[index] as number;
    this.scope.begin(records, index, record.timestampMs);
    return this.processor.process(record);
  }

  private async finish(pending: Promise<void>, end: number): Promise<number> {
    try {
      await pending;
    } catch (thrown) {
      this.store.rollback();
      throw thrown;
    }
    return this.applied(end);
  }

  private applied(end: number): number {
    this.store.seal();
    this.store.commit();
    this.scope.origin = null;
    return end;
  }

  private gate(partition: number): RecordGate {
    const known = this.gates.get(partition);
    if (known !== undefined) return known;
    const input = { topic: this.topic, partition };
    const { failures, scope } = this;
    const gate = new RecordGate(input, this.source, { failures, scope, extractor: undefined });
    this.gates.set(partition, gate);
    return gate;
  }

  private services(app: StreamsApp, { name }: ProcessorNode): TaskServices {
    const recordExpired = () => this.scope.recordDropped('expired');
    const spec = app.topology.stores.get(this.bytes.name);
    if (spec === undefined) throw new InternalError(`there is no store ${this.bytes.name}`);
    return {
      scope: this.scope,
      failures: this.failures,
      cacheMaxBytes: 0,
      maxRequestSize: 0,
      refused: new RefusedRecords(), // without sinks nothing is ever refused
      openStore: (_, { timestampMs }) => spec.open(this.bytes, { timestampMs, recordExpired }),
      storeNames: [...app.topology.stores.keys()],
      openGlobalStore: () => null, // another global store may be behind or ahead of this one whenever it is loaded
      schedule: () => {
        throw new TopologyError(`processor '${name}' of a global store cannot schedule punctuations`, {
          details: { node: name, store: spec.name },
          remedy: 'Let the records alone change a global store: it is built from them again on each member.',
        });
      },
      onFlush: () => undefined,
      onRecord: () => undefined,
      onRecordDone: () => undefined,
      holdRecord: () => this.scope.holdRecord(),
      sleep: null,
      committedMark: () => this.refuseCommitted(name),
      committedTime: () => this.refuseCommitted(name),
    };
  }

  /** Nothing of a global store is committed: it is built from its records alone. */
  private refuseCommitted(node: string): never {
    throw new InternalError(`processor '${node}' of a global store asks for something that is committed`);
  }
}

/** The same decisions, with nothing written of what is left out (G3). */
function withoutDeadLetters(settings: Settings): Settings {
  const names = Object.values(FAILURE_SETTINGS).filter((name) => typeof settings[name] === 'object');
  return { ...settings, ...Object.fromEntries(names.map((name) => [name, 'continue'])), deadLetterTopic: '' };
}
