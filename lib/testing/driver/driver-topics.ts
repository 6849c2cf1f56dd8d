/**
 * The topics of a test driver: a log of its own, and what the topology wrote to it, for the test to read.
 *
 * Records lie there without transactions between them: a test sees the offsets that Kafka's driver gives.
 */

import type { FetchResult } from '../../log/log.js';
import { createMemoryLog, type MemoryLog } from '../../log/memory/memory-log.js';
import { UnknownTopicError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import type { LogRecord, RecordSet } from '../../model/record-set.js';
import {
  parseTopicPartitionKey,
  type TopicPartition,
  type TopicPartitionKey,
  topicPartitionKey,
} from '../../model/topic-partition.js';
import { type StreamsApp, topicName } from '../../topology/app.js';
import { internalTopicSpecs } from '../../topology/internal-topic-specs.js';
import { type ResolvedPartitions, resolvePartitions } from '../../topology/resolve-partitions.js';
import type { DriverHost } from './driver-host.js';

/** Nothing of a topic goes by age or size: a test may jump years. */
const FOR_EVER = { 'retention.ms': '-1', 'max.message.bytes': String(0x7fffffff) };
const READ_MAX_BYTES = 64 * 1024 * 1024;

/** A record that the topology wrote, as bytes. */
export interface WrittenRecord {
  readonly partition: number;
  readonly record: LogRecord;
}

interface WrittenTopic {
  readonly records: WrittenRecord[];
  /** Index of the first that was not read out yet. */
  next: number;
}

/** Partitions by topic, for any topic. */
export class TopicCounts extends Map<string, number> {
  private readonly others: number;

  constructor(given: number | Readonly<Record<string, number>> | undefined) {
    super(typeof given === 'object' ? Object.entries(given) : []);
    this.others = typeof given === 'number' ? given : 1;
  }

  override get(topic: string): number {
    return super.get(topic) ?? this.others;
  }
}

export class DriverTopics {
  readonly log: MemoryLog;
  readonly counts: TopicCounts;
  readonly resolved: ResolvedPartitions;
  private readonly ends = new Map<TopicPartitionKey, number>();
  private readonly written = new Map<string, WrittenTopic>();

  /**
   * Makes the topics that the application reads and owns.
   *
   * @param partitions by topic, or of each; absent: one each, also where the topology asks for more, as Kafka's driver does
   * @throws {NotCopartitionedError} STREAMS_NOT_COPARTITIONED
   */
  static async create(
    app: StreamsApp,
    host: DriverHost,
    partitions: number | Readonly<Record<string, number>> | undefined,
  ): Promise<DriverTopics> {
    const counts = new TopicCounts(partitions);
    const resolved = resolvePartitions(partitions === undefined ? inOnePartition(app) : app, counts);
    for (const [topic, count] of [...resolved.repartitionTopics, ...resolved.changelogTopics]) counts.set(topic, count);
    const defaults = { topicConfig: FOR_EVER, offsetsRetentionMs: Number.MAX_SAFE_INTEGER };
    const topics = new DriverTopics(await createMemoryLog({ host, defaults }), counts, resolved);
    for (const spec of internalTopicSpecs(app, resolved)) await topics.log.createTopic(spec);
    for (const node of app.topology.nodes.values()) {
      if (node.kind === 'source') for (const topic of node.topics) await topics.make(topicName(app, topic));
    }
    return topics;
  }

  private constructor(log: MemoryLog, counts: TopicCounts, resolved: ResolvedPartitions) {
    this.log = log;
    this.counts = counts;
    this.resolved = resolved;
  }

  /** First offset that is not there yet. */
  end(key: TopicPartitionKey): number {
    return this.ends.get(key) ?? 0;
  }

  /** @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC if the topic has no such partition */
  expectPartition({ topic, partition }: TopicPartition): void {
    const count = this.counts.get(topic);
    if (Number.isSafeInteger(partition) && partition >= 0 && partition < count) return;
    throw new UnknownTopicError(`topic '${topic}' has no partition ${partition}, but ${count} in all`, {
      details: { topic, partition, partitions: count },
    });
  }

  async append(to: TopicPartition, records: RecordSet): Promise<void> {
    await this.make(to.topic);
    const first = await this.log.append(to, records);
    this.ends.set(topicPartitionKey(to), first + records.size);
  }

  /** Appends what the topology wrote, for the test to read as well. */
  async write(output: ReadonlyMap<TopicPartitionKey, RecordSet>): Promise<void> {
    for (const [key, records] of output) {
      const to = parseTopicPartitionKey(key);
      await this.append(to, records);
      const topic = this.writtenTo(to.topic);
      for (const record of records) topic.records.push({ partition: to.partition, record });
    }
  }

  /** All records from an offset on. */
  async *read(from: TopicPartition, fromOffset: number): AsyncGenerator<FetchResult> {
    const key = topicPartitionKey(from);
    for (let position = fromOffset; position < this.end(key); ) {
      const requests = [{ ...from, fromOffset: position as Offset }];
      const options = { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: READ_MAX_BYTES } as const;
      const [result] = await this.log.fetch(requests, options);
      if (result === undefined) return;
      yield result;
      position = result.nextOffset;
    }
  }

  /** The next written record of a topic that was not read out yet. */
  takeWritten(topic: string): WrittenRecord | undefined {
    const written = this.written.get(topic);
    const next = written?.records[written.next];
    if (written === undefined || next === undefined) return undefined;
    written.next += 1;
    return next;
  }

  /** Names of the topics that the topology has written to. */
  get writtenNames(): readonly string[] {
    return [...this.written.keys()];
  }

  /** Cleans the changelogs as a broker does in time: only the last record of each key is left where the topic is compacted. */
  async compact(): Promise<void> {
    for (const topic of this.resolved.changelogTopics.keys()) {
      const description = (await this.log.describeTopics([topic])).get(topic);
      if (description?.config['cleanup.policy']?.includes('compact') === true) await this.log.compact(topic);
    }
  }

  private async make(topic: string): Promise<void> {
    if (this.ends.has(topicPartitionKey({ topic, partition: 0 }))) return;
    this.ends.set(topicPartitionKey({ topic, partition: 0 }), 0);
    await this.log.createTopic({ name: topic, partitions: this.counts.get(topic), config: {} });
  }

  private writtenTo(topic: string): WrittenTopic {
    const known = this.written.get(topic);
    if (known !== undefined) return known;
    const fresh: WrittenTopic = { records: [], next: 0 };
    this.written.set(topic, fresh);
    return fresh;
  }
}

/** The application with one partition for each repartition topic, whatever its topology asks for. */
function inOnePartition(app: StreamsApp): StreamsApp {
  const single = [...app.topology.repartitionTopics].map(
    ([name, topic]) => [name, { ...topic, partitions: 1 }] as const,
  );
  return { ...app, topology: { ...app.topology, repartitionTopics: new Map(single) } };
}
