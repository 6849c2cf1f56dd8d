import { type ByteKey, byteKey } from '../model/byte-key.js';
import { InternalError } from '../model/errors.js';
import type { RecordSet } from '../model/record-set.js';
import { RecordSetBuilder } from '../model/record-set-builder.js';
import { type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { TransactionalStore } from '../state/byte-store.js';
import { ExpiringStore } from '../state/expiring-store.js';
import type { StateStore } from '../state/state-store.js';
import type { StoreProgress } from '../state/store-progress.js';
import { ToldStore } from '../state/told-store.js';
import { internalTopicName, type StreamsApp } from '../topology/app.js';
import type { StoreContext, StoreSpec } from '../topology/store-spec.js';
import type { SubTopology } from '../topology/topology.js';
import { expectProgressFits, progressMetadata, progressOf } from './committed-progress.js';
import { mergeProcessorMetadata, type ProcessorMetadata } from './processor-metadata.js';
import type { TaskScope } from './task-scope.js';
import { TaskStore } from './task-store.js';

/** Keys of one fetch that stores are told of before its records are processed. */
const PREFETCHED_KEYS_MAX = 10_000;
/** Entries of one store removed after one record: a jump of stream time is worked off over the records that follow. */
const ENTRIES_ENDED_PER_RECORD = 64;

interface StoreOfTask {
  readonly spec: StoreSpec;
  readonly bytes: TaskStore;
  /** What stands before `bytes` where entries end by themselves. */
  readonly expiring: ExpiringStore | null;
  /** Partition of the changelog; null where none is written (not logged, or a source topic serves as one). */
  readonly changelog: TopicPartitionKey | null;
}

/** The stores of one task: opened for its nodes, sealed into changelog records. */
export class TaskStores {
  private readonly byName = new Map<string, StoreOfTask>();
  private readonly expiring: ExpiringStore[] = [];
  /** Those that do not lie in memory. */
  private readonly cold: TransactionalStore[] = [];
  private readonly builder = new RecordSetBuilder();
  private readonly scope: TaskScope;
  /** What was committed by runs before, names that are not ours included. */
  private restored: ProcessorMetadata = new Map();

  constructor(
    app: StreamsApp,
    part: SubTopology,
    partition: number,
    stores: ReadonlyMap<string, TransactionalStore>,
    scope: TaskScope,
    limits: { readonly maxRequestSize: number; readonly stateBytes: number },
  ) {
    this.scope = scope;
    const { maxRequestSize, stateBytes: memoryBytes } = limits;
    const inRecord = maxRequestSize === 0 ? Number.POSITIVE_INFINITY : maxRequestSize;
    for (const name of part.stores) {
      const spec = app.topology.stores.get(name);
      const store = stores.get(name);
      if (spec === undefined || store === undefined) {
        throw new InternalError(`task ${scope.taskId} was given no store ${name}`, { details: { store: name } });
      }
      const log = app.topology.changelogs.get(name);
      const topic = spec.logged && log?.internal === true ? internalTopicName(app, log.topic) : null;
      const changelog = topic === null ? null : topicPartitionKey({ topic, partition });
      const changelogBytes = changelog === null ? Number.POSITIVE_INFINITY : inRecord;
      const bytes = new TaskStore(name, store, scope, { changelogBytes, memoryBytes });
      const { ttlMs } = spec;
      const expiring =
        ttlMs === undefined ? null : new ExpiringStore(bytes, { ttlMs, streamTimeMs: () => scope.streamTimeMs });
      if (expiring !== null) this.expiring.push(expiring);
      if (store.prefetch !== undefined) this.cold.push(store);
      this.byName.set(name, { spec, bytes, expiring, changelog });
    }
    this.expectProgressFits([]);
  }

  /** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if what stores and operators commit is more than a broker takes */
  expectProgressFits(times: readonly string[]): void {
    const stores = this.withTime.map(({ spec }) => spec.name);
    expectProgressFits(this.scope.taskId, stores, times);
  }

  /** Takes over how far the stores had come when the task last committed. */
  resume(committed: ProcessorMetadata): void {
    this.restored = committed;
    for (const { spec, bytes } of this.withTime) bytes.store.resume(progressOf(spec.name, committed));
  }

  /** What to commit of it now. */
  get metadata(): ProcessorMetadata {
    const progress = new Map<string, StoreProgress>();
    for (const { spec, bytes } of this.withTime) progress.set(spec.name, bytes.progress);
    return mergeProcessorMetadata([this.restored, progressMetadata(progress)]);
  }

  private get withTime(): readonly StoreOfTask[] {
    return [...this.byName.values()].filter(({ spec }) => spec.layout !== undefined);
  }

  /** Stores whose updates may be held back. */
  get cachedCount(): number {
    return [...this.byName.values()].filter(({ spec }) => spec.cached).length;
  }

  get pendingBytes(): number {
    let bytes = 0;
    for (const store of this.byName.values()) bytes += store.bytes.pendingBytes;
    return bytes;
  }

  open(name: string, clock: StoreContext): StateStore {
    const store = this.byName.get(name);
    if (store === undefined)
      throw new InternalError(`there is no store ${name} in the task`, { details: { store: name } });
    const { spec, bytes, expiring } = store;
    return spec.open(expiring === null ? bytes : new ToldStore(expiring, () => clock.recordExpired?.()), clock);
  }

  /**
   * Tells stores that do not lie in memory of the keys of records that wait to be processed: aggregations, tables and whatever keeps
   * something by the key of a record ask for these next. A store with other keys finds out that it does not have them, and reads nothing.
   */
  prefetch(records: RecordSet): void {
    if (this.cold.length === 0 || records.size === 0) return;
    const keys = new Set<ByteKey>();
    for (let index = 0; index < records.size && keys.size < PREFETCHED_KEYS_MAX; index += 1) {
      const key = records.key(index);
      if (key !== null) keys.add(byteKey(key));
    }
    for (const store of this.cold) store.prefetch?.(keys);
  }

  /** Removes entries that have ended, a bounded number in each store, but for those that an operator removes itself. */
  removeEnded(): void {
    if (this.expiring.length === 0) return;
    this.scope.callsRunning += 1;
    try {
      for (const store of this.expiring) {
        if (store.isRemovedByOperator) continue;
        for (let removed = 0; removed < ENTRIES_ENDED_PER_RECORD; removed += 1) if (store.removeNext() === null) break;
      }
    } finally {
      this.scope.callsRunning -= 1;
    }
  }

  /** Seals every store, whether or not it was written, and answers the changelog records. */
  seal(): ReadonlyMap<TopicPartitionKey, RecordSet> {
    const changelogs = new Map<TopicPartitionKey, RecordSet>();
    for (const { spec, bytes, changelog } of this.byName.values()) {
      const writes = bytes.store.seal();
      bytes.pendingBytes = 0;
      if (changelog === null || writes.length === 0) continue;
      const { changelogHeaders } = spec;
      for (const { key, packed, value, timestampMs } of writes) {
        const written = packed === undefined ? value : packed;
        this.builder.append(key, written, timestampMs, written === null ? undefined : changelogHeaders);
      }
      changelogs.set(changelog, this.builder.build());
    }
    return changelogs;
  }

  close(): void {
    for (const { bytes } of this.byName.values()) bytes.close();
  }
}
