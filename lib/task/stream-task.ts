/**
 * The contract of a task's processing, without IO. Kafka: `StreamTask`. `create-task.ts` makes one.
 *
 * The engine gives records in, lets the task process, seals, and makes the sealed output true in one transaction. After an
 * error or an abort the object is thrown away, its stores are rolled back, and a new task is made from the committed offsets:
 * that restores stream time, punctuations and processors by construction.
 */
import type { Awaitable } from '../model/awaitable.js';
import type { Offset } from '../model/offset.js';
import type { RecordSet } from '../model/record-set.js';
import type { Settings } from '../model/settings.js';
import type { TaskId } from '../model/task-id.js';
import type { TopicPartition, TopicPartitionKey } from '../model/topic-partition.js';
import type { Sleep } from '../processor/engine-context.js';
import type { SerdeLookups } from '../serde/serde.js';
import type { ByteStore, TransactionalStore } from '../state/byte-store.js';
import type { StreamsApp } from '../topology/app.js';
import type { RefusedRecords } from './refused-records.js';
import type { TaskOutput } from './task-output.js';

export interface StreamTaskInit {
  readonly app: StreamsApp;
  readonly taskId: TaskId;
  /**
   * Partition counts by name on the broker: of every topic that the task may write, dead-letter topic included, and of its
   * source topics (an input that has too few partitions for this task is left out; one whose count is absent is read).
   */
  readonly partitionCounts: ReadonlyMap<string, number>;
  /** The stores of the task's sub-topology by name, restored, without overlays. */
  readonly stores: ReadonlyMap<string, TransactionalStore>;
  /** Global stores by name, as they are kept beside the tasks; the task reads them. Absent: the topology has none. */
  readonly globalStores?: ReadonlyMap<string, ByteStore>;
  /** Committed metadata of the inputs: partition times as Kafka Streams encodes them. */
  readonly committed: ReadonlyMap<TopicPartitionKey, { readonly nextOffset: Offset; readonly metadata: string }>;
  /** Wall clock of the start, in milliseconds. */
  readonly nowMs: number;
  /**
   * Wall-clock punctuations as the run before left them: one scheduled by `init` with the same interval goes on from there, so
   * that a task that is woken for a punctuation makes it. Absent: none.
   */
  readonly punctuations?: readonly ScheduledPunctuation[];
  /** What the log has found too large of this task's writes, for the production handler. Absent: nothing. */
  readonly refused?: RefusedRecords;
  /** Bytes that all state of the member may take: an entry that is larger alone is refused when it is written. Absent: any number. */
  readonly stateBytes?: number;
  /** How operators wait by the host's clock. Absent: what they call can not time out. */
  readonly sleep?: Sleep;
  /** Overrides for tests; default `app.settings`. */
  readonly settings?: Settings;
}

/** A wall-clock punctuation, and when it is due next; milliseconds. */
export interface ScheduledPunctuation {
  readonly intervalMs: number;
  readonly dueMs: number;
}

export interface FetchedRecords extends TopicPartition {
  /** May be empty: that nothing came is news too, without which the other inputs are held back. */
  readonly records: RecordSet;
  /** Position after the records, control and empty batches included. */
  readonly nextOffset: Offset;
  /** End of the partition for this reader (last stable offset) as the fetch saw it: whether there is more to wait for. */
  readonly endOffset: Offset;
}

export interface StreamTask {
  readonly taskId: TaskId;
  /** Partitions to read, by name on the broker. */
  readonly inputs: readonly TopicPartition[];

  /**
   * Lets the serdes look up what they need, then initialises the processors in topological order. Call once, first.
   *
   * @throws what a look-up throws ({@link SerdeLookups})
   */
  init(): Awaitable<void>;
  /** Takes fetched records into the queue of their partition. */
  addRecords(fetched: FetchedRecords): void;
  /** Whether the queue of an input is below `bufferedRecordsPerPartition`. */
  wants(input: TopicPartitionKey): boolean;
  /**
   * Processes up to `maxRecords` queued records, choosing among inputs by timestamp, and the stream-time punctuations that
   * they cause.
   *
   * @returns records processed; 0 when nothing is ready (`maxTaskIdleMs` may hold records back)
   * @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED by handler `fail` · {ProcessingError} STREAMS_PROCESSING_FAILED
   *   with the user's error as cause
   */
  process(nowMs: number, maxRecords: number): Awaitable<number>;
  /** Calls the wall-clock punctuations that are due. @returns how many */
  punctuate(nowMs: number): Awaitable<number>;
  /** When the next wall-clock punctuation is due, in milliseconds; null if there is none. */
  readonly nextPunctuationMs: number | null;
  /** The wall-clock punctuations that are scheduled, in the order in which they were. */
  readonly punctuations: readonly ScheduledPunctuation[];
  /** Estimated bytes of output, changelog and cache since the last seal: the engine commits early when they grow large. */
  readonly pendingBytes: number;
  /** Whether anything has happened since the last seal that has to be committed. */
  readonly hasUncommitted: boolean;
  /** Flushes caches downstream and closes what happened since the last seal. */
  seal(): Awaitable<TaskOutput>;
  /** Closes the processors that were initialised, each once, and the stores to them. May be called twice. */
  close(): Awaitable<void>;
}
