import type { Encoded } from '../model/byte-key.js';
import { UnknownTopicError } from '../model/errors.js';
import type { Headers, RecordSet } from '../model/record-set.js';
import { RecordSetBuilder } from '../model/record-set-builder.js';
import { type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';

/** What a record costs in a batch besides key and value: lengths, timestamp and offset deltas; rounded up. */
const RECORD_OVERHEAD_BYTES = 16;

/** Collects the records that a task writes, by topic and partition, until the next seal. */
export class OutputCollector {
  /** Estimated bytes since the last seal. */
  pendingBytes = 0;
  private readonly partitionCounts: ReadonlyMap<string, number>;
  private readonly topics = new Map<string, TopicOutput>();

  constructor(partitionCounts: ReadonlyMap<string, number>) {
    this.partitionCounts = partitionCounts;
  }

  /**
   * Where records of a topic go, by name on the broker.
   *
   * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC if its partition count is not known
   */
  topic(name: string): TopicOutput {
    const known = this.topics.get(name);
    if (known !== undefined) return known;
    const partitions = this.partitionCounts.get(name);
    if (partitions === undefined) {
      throw new UnknownTopicError(`there is no topic '${name}' to write to`, { details: { topic: name } });
    }
    const output = new TopicOutput(this, name, partitions);
    this.topics.set(name, output);
    return output;
  }

  seal(): ReadonlyMap<TopicPartitionKey, RecordSet> {
    const sets = new Map<TopicPartitionKey, RecordSet>();
    for (const topic of this.topics.values()) topic.sealInto(sets);
    this.pendingBytes = 0;
    return sets;
  }
}

/** The records for one topic. */
export class TopicOutput {
  readonly name: string;
  readonly partitions: number;
  private readonly collector: OutputCollector;
  private readonly builders: (RecordSetBuilder | undefined)[];
  private readonly keys: TopicPartitionKey[];

  constructor(collector: OutputCollector, name: string, partitions: number) {
    this.collector = collector;
    this.name = name;
    this.partitions = partitions;
    this.builders = new Array<RecordSetBuilder | undefined>(partitions).fill(undefined);
    this.keys = Array.from({ length: partitions }, (_, partition) => topicPartitionKey({ topic: name, partition }));
  }

  append(partition: number, key: Encoded | null, value: Encoded | null, timestampMs: number, headers: Headers): void {
    let builder = this.builders[partition];
    if (builder === undefined) {
      builder = new RecordSetBuilder();
      this.builders[partition] = builder;
    }
    builder.append(key, value, timestampMs, headers);
    this.collector.pendingBytes += RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  }

  sealInto(sets: Map<TopicPartitionKey, RecordSet>): void {
    for (let partition = 0; partition < this.builders.length; partition += 1) {
      const builder = this.builders[partition];
      const key = this.keys[partition];
      if (builder !== undefined && key !== undefined && builder.size > 0) sets.set(key, builder.build());
    }
  }
}
