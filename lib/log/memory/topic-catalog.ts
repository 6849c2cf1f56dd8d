import { InvalidSettingError, TopicRecreatedError, UnknownTopicError } from '../../model/errors.js';
import type { TopicPartition } from '../../model/topic-partition.js';
import type { TopicConfig, TopicDescription, TopicSpec } from '../log.js';
import { PartitionLog } from './partition-log.js';
import { DEFAULT_TOPIC_CONFIG, readTopicConfig } from './topic-config.js';

/** Kafka's limit: the name becomes part of a folder's name there. */
const MAX_TOPIC_NAME_LENGTH = 249;
/** Kept far above what one process can use, so that a slip of a digit is found. */
const MAX_PARTITIONS = 100_000;

export interface Topic {
  readonly description: TopicDescription;
  readonly partitions: readonly PartitionLog[];
}

/** The topics by name. A topic that is deleted and created again is another one, with another id (KIP-516). */
export class TopicCatalog {
  private readonly defaults: TopicConfig;
  private readonly brokerRacks: readonly string[];
  private readonly topics = new Map<string, Topic>();

  constructor(defaults: TopicConfig, brokerRacks: readonly string[] = []) {
    this.brokerRacks = brokerRacks;
    this.defaults = { ...DEFAULT_TOPIC_CONFIG, ...defaults };
    readTopicConfig({}, this.defaults);
  }

  /** @throws {InvalidSettingError} STREAMS_INVALID_SETTING for a name, count or setting that Kafka would refuse */
  check(spec: TopicSpec): void {
    const { name, partitions, replicationFactor = 1 } = spec;
    if (
      typeof name !== 'string' ||
      !/^[a-zA-Z0-9._-]+$/.test(name) ||
      name.length > MAX_TOPIC_NAME_LENGTH ||
      name === '.' ||
      name === '..'
    )
      throw refused(`'${name}' can't be the name of a topic`, { name });
    if (!Number.isSafeInteger(partitions) || partitions < 1 || partitions > MAX_PARTITIONS)
      throw refused(`topic ${name} can't have ${partitions} partitions`, { name, partitions });
    if (!Number.isSafeInteger(replicationFactor) || (replicationFactor < 1 && replicationFactor !== -1))
      throw refused(`topic ${name} can't have replication factor ${replicationFactor}`, { name, replicationFactor });
    readTopicConfig(spec.config, this.defaults);
  }

  add(spec: TopicSpec, topicId: string): void {
    const settings = readTopicConfig(spec.config, this.defaults);
    this.topics.set(spec.name, {
      description: { ...spec, config: { ...this.defaults, ...spec.config }, topicId, ...this.racksOf(spec) },
      partitions: Array.from({ length: spec.partitions }, (_, index) => new PartitionLog(spec.name, index, settings)),
    });
  }

  private racksOf({ partitions, replicationFactor = 1 }: TopicSpec): Pick<TopicDescription, 'replicaRacks'> {
    const { brokerRacks } = this;
    const brokers = brokerRacks.length;
    if (brokers === 0) return {};
    const replicas = Math.min(Math.max(1, replicationFactor), brokers);
    const racksOfPartition = (partition: number): readonly string[] => [
      ...new Set(Array.from({ length: replicas }, (_, index) => brokerRacks[(partition + index) % brokers] ?? '')),
    ];
    return { replicaRacks: Array.from({ length: partitions }, (_, partition) => racksOfPartition(partition)) };
  }

  remove(name: string): void {
    this.topics.delete(name);
  }

  find(name: string): Topic | undefined {
    return this.topics.get(name);
  }

  /** @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC */
  get(name: string): Topic {
    const topic = this.topics.get(name);
    if (topic === undefined) throw new UnknownTopicError(`there is no topic '${name}'`, { details: { topic: name } });
    return topic;
  }

  /** @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC for an unknown topic or a partition that it does not have */
  partition(at: TopicPartition): PartitionLog {
    const partition = this.get(at.topic).partitions[at.partition];
    if (partition === undefined)
      throw new UnknownTopicError(`topic '${at.topic}' has no partition ${at.partition}`, { details: { ...at } });
    return partition;
  }

  /**
   * The partition, of the life of the topic that the question names if it names one.
   *
   * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC · {TopicRecreatedError} STREAMS_TOPIC_RECREATED
   */
  partitionOfLife(at: TopicPartition & { readonly topicId?: string }): PartitionLog {
    const { topic, partition, topicId: wantedTopicId } = at;
    if (wantedTopicId !== undefined) {
      const { topicId } = this.get(topic).description;
      if (topicId !== wantedTopicId)
        throw new TopicRecreatedError(`topic '${topic}' was deleted and created again`, {
          details: { topic, partition, wantedTopicId, topicId },
        });
    }
    return this.partition(at);
  }

  names(): readonly string[] {
    return [...this.topics.keys()].sort();
  }

  all(): IterableIterator<Topic> {
    return this.topics.values();
  }
}

function refused(message: string, details: Readonly<Record<string, unknown>>): InvalidSettingError {
  return new InvalidSettingError(message, { details, remedy: 'Correct the topic that the message names.' });
}
