/**
 * The embedded log: Kafka's semantics in one process, in memory, and on disk if it is given a folder.
 *
 * What it does not do: replicate, speak a protocol, or serve several processes. Calls take effect at once and whole, in the
 * order in which they were made, so that nothing is ever half visible (L4).
 */
import type { Host } from '../../host/host.js';
import { InvalidSettingError, UnknownOutcomeError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import type { RecordSet } from '../../model/record-set.js';
import {
  parseTopicPartitionKey,
  type TopicPartition,
  type TopicPartitionKey,
  topicPartitionKey,
} from '../../model/topic-partition.js';
import type {
  CommittedOffset,
  FetchOptions,
  FetchRequest,
  FetchResult,
  Log,
  OffsetSpec,
  OffsetsToCommit,
  ProducerOptions,
  TopicConfig,
  TopicDescription,
  TopicSpec,
  TransactionalProducer,
} from '../log.js';
import { measure } from './batch.js';
import { checkDeletable, checkRecords, offsetFor, placeOf } from './checks.js';
import { keep } from './columns.js';
import { EventLog } from './event-log.js';
import { hasNews, readPartitions } from './fetch.js';
import { checkOffsets } from './group-offsets.js';
import type { LogState } from './log-state.js';
import { Maintenance } from './maintenance.js';
import { MemoryProducer } from './memory-producer.js';
import type { PartitionLog } from './partition-log.js';
import { retainedFrom } from './retention.js';
import type { ProducerIdentity, TransactionOutcome } from './transactions.js';
import { throwIfAborted, Waiters, waitForNews } from './waiters.js';

/** What a broker's settings are in Kafka. */
export interface MemoryLogDefaults {
  /** Settings of topics that do not give their own, by Kafka's names; over {@link DEFAULT_TOPIC_CONFIG}. */
  readonly topicConfig?: TopicConfig;
  /** How long a committed offset is kept after its own last commit; milliseconds. Kafka: `offsets.retention.minutes`, 7 days. */
  readonly offsetsRetentionMs?: number;
  /** Longest time-out a producer may ask for; milliseconds. Kafka: `transaction.max.timeout.ms`, 15 minutes. */
  readonly transactionMaxTimeoutMs?: number;
  /**
   * How often old segments are looked for, by the calls that the log gets; milliseconds. Retention goes by the records' own
   * timestamps: old ones are gone after this time. Kafka: `log.retention.check.interval.ms`, 5 minutes.
   */
  readonly retentionCheckIntervalMs?: number;
  /**
   * Racks of the brokers that this log stands for, for placement by zones: partition `p` has its replicas on the brokers `p`, `p + 1`, …
   * of them, as many as its topic's replication factor. Default: brokers name none. Kafka: `broker.rack`.
   */
  readonly brokerRacks?: readonly string[];
}

export interface MemoryLogOptions {
  readonly host: Host;
  /**
   * Folder to keep the log in; made if it is absent. Without one the log is gone with the process. A call that returned is
   * safe from a crash of the process; from one of the machine only with `fsync`.
   */
  readonly dir?: string;
  /** Whether to force every write to the disk before its call returns. Default: no, as Kafka. */
  readonly fsync?: boolean;
  readonly defaults?: MemoryLogDefaults;
}

const DEFAULT_OFFSETS_RETENTION_MS = 7 * 86_400_000;
const DEFAULT_TRANSACTION_MAX_TIMEOUT_MS = 900_000;
const DEFAULT_RETENTION_CHECK_INTERVAL_MS = 300_000;
/** Longest single sleep of a waiting call; it looks again and sleeps on. */
const MAX_SLEEP_MS = 3_600_000;

/**
 * Opens an embedded log.
 *
 * @throws {InvalidFolderError} STREAMS_INVALID_FOLDER if `dir` is no folder, may not be written to or is corrupt; nothing in it
 *   was changed then · {InvalidSettingError} STREAMS_INVALID_SETTING for defaults that Kafka would refuse
 */
export async function createMemoryLog(options: MemoryLogOptions): Promise<MemoryLog> {
  return new MemoryLog(options);
}

/** See {@link createMemoryLog}. */
export class MemoryLog implements Log {
  private readonly host: Host;
  private readonly events: EventLog;
  private readonly state: LogState;
  private readonly transactionMaxTimeoutMs: number;
  private readonly closing = new Waiters();
  private readonly maintenance: Maintenance;
  private fetches = 0;

  constructor({ host, dir, fsync = false, defaults = {} }: MemoryLogOptions) {
    this.host = host;
    this.transactionMaxTimeoutMs = defaults.transactionMaxTimeoutMs ?? DEFAULT_TRANSACTION_MAX_TIMEOUT_MS;
    const options = {
      topicDefaults: defaults.topicConfig ?? {},
      brokerRacks: defaults.brokerRacks ?? [],
      offsetsRetentionMs: defaults.offsetsRetentionMs ?? DEFAULT_OFFSETS_RETENTION_MS,
    };
    this.events = EventLog.open(options, dir === undefined ? null : { dir, fsync }, host.digest);
    this.state = this.events.state;
    const checkIntervalMs = defaults.retentionCheckIntervalMs ?? DEFAULT_RETENTION_CHECK_INTERVAL_MS;
    this.maintenance = new Maintenance(checkIntervalMs, host.clock.now());
  }

  async describeTopics(names: readonly string[]): Promise<ReadonlyMap<string, TopicDescription>> {
    this.begin();
    const found = new Map<string, TopicDescription>();
    for (const name of names) {
      const topic = this.state.topics.find(name);
      if (topic !== undefined) found.set(name, topic.description);
    }
    return found;
  }

  async listTopics(): Promise<readonly string[]> {
    this.begin();
    return this.state.topics.names();
  }

  async createTopic(spec: TopicSpec): Promise<boolean> {
    this.begin();
    this.state.topics.check(spec);
    if (this.state.topics.find(spec.name) !== undefined) return false;
    this.events.record({ type: 'topicCreated', spec, topicId: this.host.random.id() });
    this.events.settle();
    return true;
  }

  async deleteTopic(name: string): Promise<void> {
    this.begin();
    this.state.topics.get(name);
    this.events.record({ type: 'topicDeleted', name });
    this.events.settle();
  }

  async deleteRecords(before: ReadonlyMap<TopicPartitionKey, Offset>): Promise<void> {
    this.begin();
    const moves = [...before].map(([key, offset]) => {
      const partition = this.state.topics.partition(parseTopicPartitionKey(key));
      checkDeletable(partition, offset);
      return { partition, offset };
    });
    for (const { partition, offset } of moves) {
      if (offset > partition.logStartOffset)
        this.events.record({ type: 'logStartMoved', ...placeOf(partition), offset });
    }
    this.events.settle();
  }

  async append(to: TopicPartition, records: RecordSet): Promise<Offset> {
    this.begin();
    const partition = this.state.topics.partition(to);
    const first = partition.endOffset;
    this.appendChecked(partition, records, null);
    this.settleOrUnknown();
    return first;
  }

  async fetch(requests: readonly FetchRequest[], options: FetchOptions): Promise<readonly FetchResult[]> {
    const { clock } = this.host;
    const deadline = clock.monotonic() + options.maxWaitMs;
    this.fetches += 1;
    for (;;) {
      throwIfAborted(options.signal);
      const nowMs = this.begin();
      const wanted = requests.map((request) => ({ request, partition: this.state.topics.partitionOfLife(request) }));
      const results = readPartitions(wanted, options, this.fetches);
      const leftMs = deadline - clock.monotonic();
      if (leftMs <= 0 || hasNews(results, requests)) return results;
      const sources = wanted.map(({ partition }) => partition.waiters[options.isolation]);
      await this.wait(sources, leftMs, nowMs, options.signal);
    }
  }

  async listOffsets(of: readonly TopicPartition[], spec: OffsetSpec): Promise<ReadonlyMap<TopicPartitionKey, Offset>> {
    this.begin();
    const offsets = new Map<TopicPartitionKey, Offset>();
    for (const at of of) offsets.set(topicPartitionKey(at), offsetFor(this.state.topics.partition(at), spec));
    return offsets;
  }

  async committedOffsets(
    groupId: string,
    of: readonly TopicPartition[],
  ): Promise<ReadonlyMap<TopicPartitionKey, CommittedOffset>> {
    const keys = of.map(topicPartitionKey);
    const { groupOffsets } = this.state;
    let nowMs = this.begin();
    // Every open transaction ends by its time-out at the latest.
    while (groupOffsets.isPending(groupId, keys)) {
      await this.wait([groupOffsets.waiters], Number.POSITIVE_INFINITY, nowMs);
      nowMs = this.begin();
    }
    const found = new Map<TopicPartitionKey, CommittedOffset>();
    for (const key of keys) {
      const committed = groupOffsets.committed(groupId, key, nowMs);
      if (committed !== undefined) found.set(key, committed);
    }
    return found;
  }

  async commitOffsets(groupId: string, offsets: OffsetsToCommit): Promise<void> {
    const atMs = this.begin();
    this.checkCommit(offsets);
    this.events.record({ type: 'offsetsCommitted', groupId, offsets: [...offsets], transactionalId: null, atMs });
    this.events.settle();
  }

  async initProducer(options: ProducerOptions): Promise<TransactionalProducer> {
    const { transactionalId, transactionTimeoutMs: timeoutMs, signal } = options;
    throwIfAborted(signal);
    const atMs = this.begin();
    if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > this.transactionMaxTimeoutMs)
      throw new InvalidSettingError(`transaction.timeout.ms: ${timeoutMs} was given`, {
        details: { transactionalId, timeoutMs, maxMs: this.transactionMaxTimeoutMs },
      });
    const identity = this.state.transactions.nextIdentity(transactionalId);
    if (this.state.transactions.isOngoing(transactionalId))
      this.endOngoing(transactionalId, 'abort', identity.epoch, atMs);
    this.events.record({ type: 'producerInitialised', ...identity, timeoutMs });
    this.events.settle();
    return new MemoryProducer(identity, {
      checkNewest: (producer) => {
        this.begin();
        this.state.transactions.checkNewest(producer);
      },
      appendTransactional: (producer, to, records) => {
        this.appendChecked(this.state.topics.partition(to), records, producer.transactionalId);
      },
      commitTransactional: (producer, groupId, offsets) => this.commitTransactional(producer, groupId, offsets),
      endTransaction: (producer, outcome) => this.endTransaction(producer, outcome),
    });
  }

  /**
   * Compacts a topic now: everything below the last stable offset, also what would still be in the active segment. The log
   * compacts by itself too, when `min.cleanable.dirty.ratio` is passed.
   *
   * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC
   */
  async compact(name: string): Promise<void> {
    const nowMs = this.begin();
    for (const partition of this.state.topics.get(name).partitions) this.maintenance.compactNow(partition, nowMs);
  }

  /**
   * Deletes committed offsets of a group, as their retention does and as an operator can. What an open transaction is about to
   * commit stays. Kafka: `DeleteConsumerGroupOffsets` (KIP-496).
   *
   * @returns the partitions that had one
   */
  async deleteOffsets(groupId: string, of: readonly TopicPartition[]): Promise<readonly TopicPartitionKey[]> {
    const nowMs = this.begin();
    const { groupOffsets } = this.state;
    const keys = of.map(topicPartitionKey).filter((key) => groupOffsets.committed(groupId, key, nowMs) !== undefined);
    if (keys.length > 0) this.events.record({ type: 'offsetsDeleted', groupId, keys });
    this.events.settle();
    return keys;
  }

  /** Begins a new journal file of all that is known; the log does so by itself too. Nothing to do without a folder. */
  async checkpoint(): Promise<void> {
    this.begin();
    this.events.checkpoint();
  }

  async close(): Promise<void> {
    this.events.close();
    this.closing.wakeAll();
  }

  /** What every call begins with: the log is open, and whatever the clock has decided meanwhile has happened. */
  private begin(): number {
    this.events.checkOpen();
    const nowMs = this.host.clock.now();
    for (const { transactionalId, producerId, epoch } of this.state.transactions.expired(nowMs)) {
      this.host.logger.warn('transaction-timed-out', { transactionalId, producerId, epoch });
      this.endOngoing(transactionalId, 'abort', epoch + 1, nowMs);
    }
    if (this.maintenance.isRetentionDue(nowMs)) this.applyRetention(nowMs);
    return nowMs;
  }

  private applyRetention(nowMs: number): void {
    for (const { partitions } of this.state.topics.all()) {
      for (const partition of partitions) {
        const offset = retainedFrom(partition, nowMs);
        if (offset !== null) this.events.record({ type: 'logStartMoved', ...placeOf(partition), offset });
      }
    }
  }

  private appendChecked(partition: PartitionLog, records: RecordSet, transactionalId: string | null): void {
    if (records.size === 0) return;
    const measured = measure(records);
    checkRecords(partition, records, measured);
    const columns = keep(records);
    const atMs = this.host.clock.now();
    this.events.record({ type: 'appended', ...placeOf(partition), transactionalId, columns, atMs, measured });
    this.maintenance.afterAppend(partition, records.size, atMs);
  }

  private commitTransactional({ transactionalId }: ProducerIdentity, groupId: string, offsets: OffsetsToCommit): void {
    this.checkCommit(offsets);
    const atMs = this.host.clock.now();
    this.events.record({ type: 'offsetsCommitted', groupId, offsets: [...offsets], transactionalId, atMs });
  }

  private checkCommit(offsets: OffsetsToCommit): void {
    for (const key of offsets.keys()) this.state.topics.partition(parseTopicPartitionKey(key));
    checkOffsets(offsets);
  }

  private endTransaction({ transactionalId, epoch }: ProducerIdentity, outcome: TransactionOutcome): void {
    // A transaction begins with its first send: without one there is nothing to end.
    if (this.state.transactions.isOngoing(transactionalId))
      this.endOngoing(transactionalId, outcome, epoch, this.host.clock.now());
    this.settleOrUnknown();
  }

  private endOngoing(transactionalId: string, outcome: TransactionOutcome, epochAfter: number, atMs: number): void {
    this.events.record({ type: 'transactionEnded', transactionalId, outcome, epochAfter, atMs });
  }

  /** Keeps what was recorded; if the disk fails, nobody knows whether it did. */
  private settleOrUnknown(): void {
    try {
      this.events.settle();
    } catch (cause) {
      throw new UnknownOutcomeError('the disk failed while the log was written', { cause });
    }
  }

  private async wait(sources: readonly Waiters[], ms: number, nowMs: number, signal?: AbortSignal): Promise<void> {
    const untilExpiryMs = Math.max(1, this.state.transactions.nextExpiryMs() - nowMs);
    const sleepMs = Math.min(ms, untilExpiryMs, MAX_SLEEP_MS);
    await waitForNews([...sources, this.closing], sleepMs, this.host.clock, signal);
  }
}
