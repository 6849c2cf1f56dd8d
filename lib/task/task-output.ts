import type { Offset } from '../model/offset.js';
import type { RecordSet } from '../model/record-set.js';
import type { TaskId } from '../model/task-id.js';
import type { TopicPartitionKey } from '../model/topic-partition.js';

/**
 * A record that did not go through the topology, and why; the engine logs and counts it. `expired`: a write that came too late for
 * the retention of its store, whatever else became of the record. `superseded`: a newer one has made it needless.
 */
export interface DroppedRecord {
  readonly reason:
    | 'null-key'
    | 'null-value'
    | 'negative-timestamp'
    | 'deserialization'
    | 'processing'
    | 'production'
    | 'late'
    | 'superseded'
    | 'expired';
  readonly count: number;
  /** The last one: where it came from, unless a punctuation made it, and, if something threw, what went wrong. */
  readonly last: {
    readonly topic?: string;
    readonly partition?: number;
    readonly offset?: Offset;
    readonly message?: string;
  };
}

/**
 * All that one transaction of a task has to make true, as a value: nothing of it has left the process.
 *
 * Topics are names on the broker.
 */
export interface TaskOutput {
  readonly taskId: TaskId;
  /** Records for sink and repartition topics, and dead letters, by partition, in order. */
  readonly outputs: ReadonlyMap<TopicPartitionKey, RecordSet>;
  /** Changelog records by partition. */
  readonly changelogs: ReadonlyMap<TopicPartitionKey, RecordSet>;
  /** Next offset of each input that has moved since the last seal, with the metadata that Kafka Streams commits (partition time). */
  readonly offsets: ReadonlyMap<TopicPartitionKey, { readonly nextOffset: Offset; readonly metadata: string }>;
  readonly dropped: readonly DroppedRecord[];
  /** Input records processed since the last seal. */
  readonly recordsProcessed: number;
}
