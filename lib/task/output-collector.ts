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
  /** Partitions with records since the last seal, by their first ones. */
  private begun: PartitionOutput[] = [];

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

  /** Partitions come in the order in which they were first written to. */
  seal(): ReadonlyMap<TopicPartitionKey, RecordSet> {
    const sets = new Map(this.begun.map(({ key, builder }) => [key, builder.build()] as const));
    this.begun = [];
    this.pendingBytes = 0;
    return sets;
  }

  begin(output: PartitionOutput): void {
    this.begun.push(output);
  }
}

/** The records for one partition. */
interface PartitionOutput {
  readonly key: TopicPartitionKey;
  readonly builder: RecordSetBuilder;
}

/** The records for one topic. */
export class TopicOutput {
  readonly name: string;
  readonly partitions: number;
  private readonly collector: OutputCollector;
  private readonly outputs: (PartitionOutput | undefined)[];

  constructor(collector: OutputCollector, name: string, partitions: number) {
    this.collector = collector;
    this.name = name;
    this.partitions = partitions;
    this.outputs = new Array<PartitionOutput | undefined>(partitions).fill(undefined);
  }

  append(partition: number, key: Encoded | null, value: Encoded | null, timestampMs: number, headers: Headers): void {
    let output = this.outputs[partition];
    if (output === undefined) {
      output = { key: topicPartitionKey({ topic: this.name, partition }), builder: new RecordSetBuilder() };
      this.outputs[partition] = output;
    }
    if (output.builder.size === 0) this.collector.begin(output);
    output.builder.append(key, value, timestampMs, headers);
    this.collector.pendingBytes += RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  }
}
