/**
 * The log port: Kafka as the engines see it. Adapters: `memory/` (embedded, optionally on disk), `kafka/`.
 *
 * Promises that the conformance suite holds every adapter to:
 *   L1  a read at `isolation: 'readCommitted'` never delivers a record of an aborted or open transaction, and never passes
 *       the last stable offset
 *   L2  control markers, aborted records and compacted-away records take offsets: `nextOffset` moves over them, so a reader
 *       reaches the end by position
 *   L3  initialising a producer for a transactional id fences every older one and ends its open transaction first; whatever
 *       the older one sends or commits afterwards is refused (STREAMS_PRODUCER_FENCED) and leaves no trace
 *   L4  records, their offsets' commits and the markers of one transaction become visible all or not at all
 *   L5  any error of a producer poisons it: only `close` and a new initialisation are legal after it
 *   L6  committed offsets read by `committedOffsets` are stable: it waits while a transaction that commits them is open
 *   L7  waiting calls end at once when their signal fires (STREAMS_ABORTED)
 *   L8  a read that names the life of a topic is never answered from another one: STREAMS_TOPIC_RECREATED, also where it waited
 */
import type { Offset } from '../model/offset.js';
import type { RecordSet } from '../model/record-set.js';
import type { TopicPartition, TopicPartitionKey } from '../model/topic-partition.js';

export type IsolationLevel = 'readCommitted' | 'readUncommitted';

export interface FetchRequest extends TopicPartition {
  /** First offset wanted (inclusive). */
  readonly fromOffset: Offset;
  /** Which life of the topic the offset is of (KIP-516): of no other one is anything answered. Absent: whatever has the name. */
  readonly topicId?: string;
}

export interface FetchOptions {
  readonly isolation: IsolationLevel;
  /** How long to wait for a first record, in milliseconds; 0 answers at once. */
  readonly maxWaitMs: number;
  /** Soft bound of the bytes answered, over all partitions; at least one batch comes if there is any. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface FetchResult extends TopicPartition {
  /** Records at or above `fromOffset`, in order; may be empty while `nextOffset` moves on (L2). */
  readonly records: RecordSet;
  /** Where to read on: beyond the last record, control or empty batch answered. Never below `fromOffset`. */
  readonly nextOffset: Offset;
  readonly logStartOffset: Offset;
  /** End of what is replicated (exclusive), open transactions included. */
  readonly highWatermark: Offset;
  /** First offset of the oldest open transaction, else the high watermark (exclusive). */
  readonly lastStableOffset: Offset;
}

/** What an offset question asks for; a time answers the first offset whose record is at or after it, or the end. */
export type OffsetSpec = 'earliest' | 'highWatermark' | 'lastStable' | { readonly timestampMs: number };

/** A committed offset: the next to read, with the committer's metadata text (at most 4,096 bytes). */
export interface CommittedOffset {
  readonly nextOffset: Offset;
  readonly metadata: string;
}
export type OffsetsToCommit = ReadonlyMap<TopicPartitionKey, CommittedOffset>;

export interface ProducerOptions {
  readonly transactionalId: string;
  /** The broker aborts a transaction that is open for longer. */
  readonly transactionTimeoutMs: number;
  readonly signal?: AbortSignal;
}

/** One initialised transactional producer. A transaction begins with the first `send` or `sendOffsets` after the last end. */
export interface TransactionalProducer {
  readonly producerId: number;
  readonly epoch: number;
  /**
   * Adds records to the transaction. The offsets of the set are ignored; null values are tombstones.
   *
   * @throws {ProducerFencedError} STREAMS_PRODUCER_FENCED · {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE, which names at least
   *   one record of the set as `refused` · {UnavailableError} STREAMS_UNAVAILABLE where smaller batches will do ·
   *   {UnknownOutcomeError} STREAMS_UNKNOWN_OUTCOME · {UnknownTopicError} STREAMS_UNKNOWN_TOPIC
   */
  send(to: TopicPartition, records: RecordSet): Promise<void>;
  /** Adds offsets of a consumer group to the transaction. Errors as `send`. */
  sendOffsets(groupId: string, offsets: OffsetsToCommit): Promise<void>;
  /** Ends the transaction; returns when it is decided. UNKNOWN_OUTCOME: it may have been committed. */
  commit(): Promise<void>;
  abort(): Promise<void>;
  /** Ends the producer; an open transaction is left to the next initialisation or to its time-out. May be called twice. */
  close(): Promise<void>;
}

/** `delete`, `compact` or `compact,delete`, and the other settings of a topic by Kafka's names. */
export type TopicConfig = Readonly<Record<string, string>>;

export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  /** Absent: the broker's default. */
  readonly replicationFactor?: number;
  readonly config: TopicConfig;
}

export interface TopicDescription extends TopicSpec {
  /** Changes when a topic is deleted and created again (KIP-516). */
  readonly topicId: string;
  /**
   * By partition, the racks of the brokers that hold a replica, each once; an empty list where none of them names its rack.
   * Absent: no broker does. Kafka: `broker.rack`.
   */
  readonly replicaRacks?: readonly (readonly string[])[];
}

/** Plain writes, outside transactions: an application's input in tests and on a laptop, dead-letter records. */
export interface PlainAppend {
  /** Appends and answers the offset of the first record; durable when it returns. Errors as `TransactionalProducer.send`. */
  append(to: TopicPartition, records: RecordSet): Promise<Offset>;
}

export interface LogReader {
  /**
   * Reads several partitions. A partition without news may be left out of the answer.
   *
   * @throws {OffsetOutOfRangeError} STREAMS_OFFSET_OUT_OF_RANGE below the log's start or beyond its end ·
   *   {UnknownTopicError} STREAMS_UNKNOWN_TOPIC · {TopicRecreatedError} STREAMS_TOPIC_RECREATED (L8)
   */
  fetch(requests: readonly FetchRequest[], options: FetchOptions): Promise<readonly FetchResult[]>;
  listOffsets(of: readonly TopicPartition[], spec: OffsetSpec): Promise<ReadonlyMap<TopicPartitionKey, Offset>>;
}

export interface OffsetStore {
  /** Stable committed offsets; a partition without one is absent from the map. */
  committedOffsets(
    groupId: string,
    of: readonly TopicPartition[],
  ): Promise<ReadonlyMap<TopicPartitionKey, CommittedOffset>>;
  /** Commits outside a transaction, without joining the group. */
  commitOffsets(groupId: string, offsets: OffsetsToCommit): Promise<void>;
}

export interface TopicAdmin {
  /** Known topics among `names`, by name; unknown ones are absent. */
  describeTopics(names: readonly string[]): Promise<ReadonlyMap<string, TopicDescription>>;
  /** All topic names, sorted. */
  listTopics(): Promise<readonly string[]>;
  /** Creates a topic; `false` if there is one of that name, whatever its settings. */
  createTopic(spec: TopicSpec): Promise<boolean>;
  deleteTopic(name: string): Promise<void>;
  /** Deletes records below `beforeOffset`; a no-op where the log starts at or above it. Kafka: `DeleteRecords`. */
  deleteRecords(before: ReadonlyMap<TopicPartitionKey, Offset>): Promise<void>;
}

export interface Log extends LogReader, OffsetStore, TopicAdmin, PlainAppend {
  /**
   * Initialises a transactional producer: fences older ones of its transactional id and ends what they left open (L3).
   *
   * @throws {UnavailableError} STREAMS_UNAVAILABLE
   */
  initProducer(options: ProducerOptions): Promise<TransactionalProducer>;
  close(): Promise<void>;
}
