/**
 * All that the log knows, and the one way to change it: events.
 *
 * A call checks what it was asked against the state, writes an event to the journal (if there is one) and applies it. Opening
 * a folder applies the same events again, so that there is one code path for both. An event is a decision: applying it
 * never fails and depends on nothing but the state and the event.
 */
import type { TopicPartition, TopicPartitionKey } from '../../model/topic-partition.js';
import type { CommittedOffset, TopicConfig, TopicSpec } from '../log.js';
import type { Batch, Measure, StoredColumns } from './batch.js';
import { GroupOffsets } from './group-offsets.js';
import type { PartitionLog } from './partition-log.js';
import { TopicCatalog } from './topic-catalog.js';
import { type InitialisedProducer, type TransactionOutcome, Transactions } from './transactions.js';

export interface AppendedEvent {
  readonly type: 'appended';
  readonly topic: string;
  readonly partition: number;
  /** Null: outside transactions. */
  readonly transactionalId: string | null;
  readonly columns: StoredColumns;
  readonly atMs: number;
  /** What is known of the columns already; measured again if absent. */
  readonly measured?: Measure;
}

export interface TransactionEndedEvent {
  readonly type: 'transactionEnded';
  readonly transactionalId: string;
  readonly outcome: TransactionOutcome;
  /** Larger than before if the transaction timed out. */
  readonly epochAfter: number;
  readonly atMs: number;
}

export interface OffsetsCommittedEvent {
  readonly type: 'offsetsCommitted';
  readonly groupId: string;
  readonly offsets: readonly (readonly [TopicPartitionKey, CommittedOffset])[];
  /** Null: outside transactions. */
  readonly transactionalId: string | null;
  readonly atMs: number;
}

export interface OffsetsDeletedEvent {
  readonly type: 'offsetsDeleted';
  readonly groupId: string;
  readonly keys: readonly TopicPartitionKey[];
}

/** Only in checkpoints: a batch as it was stored. */
export interface BatchStoredEvent {
  readonly type: 'batchStored';
  readonly topic: string;
  readonly partition: number;
  /** Null unless the batch belongs to an open transaction. */
  readonly transactionalId: string | null;
  readonly batch: Batch;
}

export type LogEvent =
  | { readonly type: 'topicCreated'; readonly spec: TopicSpec; readonly topicId: string }
  | { readonly type: 'topicDeleted'; readonly name: string }
  | AppendedEvent
  | ({ readonly type: 'producerInitialised' } & InitialisedProducer)
  | TransactionEndedEvent
  | OffsetsCommittedEvent
  | OffsetsDeletedEvent
  | ({ readonly type: 'logStartMoved'; readonly offset: number } & TopicPartition)
  | BatchStoredEvent;

export interface StateOptions {
  readonly topicDefaults: TopicConfig;
  readonly brokerRacks?: readonly string[];
  readonly offsetsRetentionMs: number;
}

export class LogState {
  readonly topics: TopicCatalog;
  readonly groupOffsets: GroupOffsets;
  readonly transactions: Transactions;

  constructor(options: StateOptions) {
    this.topics = new TopicCatalog(options.topicDefaults, options.brokerRacks);
    this.groupOffsets = new GroupOffsets(options.offsetsRetentionMs);
    this.transactions = new Transactions(this.groupOffsets);
  }

  apply(event: LogEvent): void {
    switch (event.type) {
      case 'topicCreated':
        this.topics.add(event.spec, event.topicId);
        break;
      case 'topicDeleted':
        this.deleteTopic(event.name);
        break;
      case 'appended':
        this.append(event);
        break;
      case 'producerInitialised':
        this.transactions.initialise(event);
        break;
      case 'transactionEnded':
        this.transactions.end(event.transactionalId, event.outcome, event.epochAfter, event.atMs);
        break;
      case 'offsetsCommitted':
        this.commitOffsets(event);
        break;
      case 'offsetsDeleted':
        this.groupOffsets.forget(event.groupId, event.keys);
        break;
      case 'logStartMoved':
        this.topics.partition(event).moveLogStart(event.offset);
        break;
      case 'batchStored':
        this.storeBatch(event);
        break;
    }
  }

  private append({ topic, partition, transactionalId, columns, atMs, measured }: AppendedEvent): void {
    const log = this.topics.partition({ topic, partition });
    log.append(columns, this.enter(transactionalId, log, atMs), atMs, measured);
  }

  private storeBatch({ topic, partition, transactionalId, batch }: BatchStoredEvent): void {
    const log = this.topics.partition({ topic, partition });
    log.store(batch, this.enter(transactionalId, log, batch.appendedAtMs));
  }

  /** Adds a partition to a transaction; answers its producer, or null outside transactions. */
  private enter(transactionalId: string | null, log: PartitionLog, atMs: number): number | null {
    if (transactionalId === null) return null;
    this.transactions.addPartition(transactionalId, log, atMs);
    return this.transactions.producerIdOf(transactionalId);
  }

  private commitOffsets({ groupId, offsets, transactionalId, atMs }: OffsetsCommittedEvent): void {
    let producerId: number | null = null;
    if (transactionalId !== null) {
      this.transactions.addGroup(transactionalId, groupId, atMs);
      producerId = this.transactions.producerIdOf(transactionalId);
    }
    this.groupOffsets.commit(groupId, new Map(offsets), producerId, atMs);
  }

  private deleteTopic(name: string): void {
    // An open transaction may still write its marker to a partition of it, which nobody will read.
    const { partitions } = this.topics.get(name);
    this.groupOffsets.forgetTopic(name);
    this.topics.remove(name);
    for (const partition of partitions) partition.wake(true);
  }
}
