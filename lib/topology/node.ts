/**
 * The nodes of a topology, as data. A frozen graph of these is what `describe()` prints, the task runs and tools draw.
 */
import type { Offset } from '../model/offset.js';
import type { Headers } from '../model/record-set.js';
import type { ProcessorSupplier } from '../processor/processor.js';
import type { RecordMetadata } from '../processor/processor-context.js';
import type { StreamRecord } from '../processor/stream-record.js';
import type { Serde } from '../serde/serde.js';
import type { OffsetReset } from './offset-reset.js';

/**
 * The timestamp of a record, in milliseconds; a negative one drops the record. Kafka: `TimestampExtractor`.
 *
 * @param partitionTimeMs greatest timestamp of the partition so far, −1 at first
 * @param nowMs the wall clock as the task was last told it
 */
export type TimestampExtractor = (
  record: StreamRecord<unknown, unknown> & { readonly metadata: RecordMetadata },
  partitionTimeMs: number,
  nowMs: number,
) => number;

/**
 * Chooses the partition, or undefined for the default (murmur2 of the key). A list writes the record to each of them once, an empty one
 * to none (KIP-837). Kafka: `StreamPartitioner`.
 */
export type StreamPartitioner = (
  topic: string,
  key: unknown,
  value: unknown,
  numPartitions: number,
) => number | readonly number[] | undefined;

/**
 * Where a record that is written comes from, and what it is written with. Kafka: `RecordContext`. In a punctuation there is no input:
 * then topic, partition and offset are null, where Kafka says null and −1.
 */
export interface RecordContext {
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: Offset | null;
  /** Of the record that is written, in milliseconds since the epoch. */
  readonly timestampMs: number;
  /** Of the record that is written. */
  readonly headers: Headers;
}

/** Chooses the topic of each record. Kafka: `TopicNameExtractor`. */
export type TopicNameExtractor = (record: StreamRecord<unknown, unknown>, context: RecordContext) => string;

export interface SourceNode {
  readonly kind: 'source';
  readonly name: string;
  /** Names as written by the user, or of internal topics without the application's prefix (see `internalTopics`). */
  readonly topics: readonly string[];
  /** The source reads all topics whose whole name matches; `topics` are those it was matched with (see `matchTopics`). */
  readonly pattern?: RegExp;
  readonly keySerde: Serde<unknown>;
  readonly valueSerde: Serde<unknown>;
  readonly timestampExtractor?: TimestampExtractor;
  readonly offsetReset?: OffsetReset;
}

export interface ProcessorNode {
  readonly kind: 'processor';
  readonly name: string;
  readonly parents: readonly string[];
  readonly supplier: ProcessorSupplier<unknown, unknown, unknown, unknown>;
  readonly stores: readonly string[];
}

export interface SinkNode {
  readonly kind: 'sink';
  readonly name: string;
  readonly parents: readonly string[];
  readonly topic: string | TopicNameExtractor;
  readonly keySerde: Serde<unknown>;
  readonly valueSerde: Serde<unknown>;
  readonly partitioner?: StreamPartitioner;
}

export type TopologyNode = SourceNode | ProcessorNode | SinkNode;
