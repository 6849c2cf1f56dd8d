/**
 * Creates, describes, trims and deletes topics.
 *
 * A broker answers a creation or deletion when the controller has decided it, and tells of it a moment later than another
 * broker. Both wait here until every broker that can be reached has the news, so that what follows finds it.
 */
import type { Clock } from '../../../host/host.js';
import type { Offset } from '../../../model/offset.js';
import { parseTopicPartitionKey, type TopicPartitionKey } from '../../../model/topic-partition.js';
import type { TopicDescription, TopicSpec } from '../../log.js';
import type { Cluster } from '../cluster/cluster.js';
import { BrokerError, failOn, failOnLeader, UNKNOWN_TOPIC_OR_PARTITION } from '../failures.js';
import type { Pauses } from '../net/pauses.js';
import { errorCodeInfo } from '../protocol/error-codes.js';
import type { ClusterMetadata, TopicMetadata } from '../requests/metadata.js';
import { createTopicRequest, deleteRecordsRequest, deleteTopicRequest } from '../requests/topic-requests.js';
import type { Retrier } from '../retrier.js';
import { replicaRacksOf } from './replica-racks.js';
import type { TopicConfigs } from './topic-configs.js';

/** How long the brokers get to hear of a topic; after that the caller's own retries have to do. */
const NEWS_TIMEOUT_MS = 5_000;
const NEWS_PAUSE_MS = 10;

export interface TopicCatalogOptions {
  readonly cluster: Cluster;
  readonly retrier: Retrier;
  readonly configs: TopicConfigs;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly requestTimeoutMs: number;
}

export class TopicCatalog {
  private readonly options: TopicCatalogOptions;

  constructor(options: TopicCatalogOptions) {
    this.options = options;
  }

  /** See `TopicAdmin.describeTopics`. */
  async describe(names: readonly string[]): Promise<ReadonlyMap<string, TopicDescription>> {
    if (names.length === 0) return new Map();
    const { topics, nodes } = await this.metadata('describe topics', [...new Set(names)]);
    const configs = await this.options.configs.describe(topics.map(({ name }) => name));
    return new Map(
      topics.map(({ name, topicId, partitions }) => {
        const replicationFactor = partitions[0]?.replicas.length ?? 0;
        const config = configs.get(name) ?? {};
        const racks = replicaRacksOf(partitions, nodes);
        return [name, { name, topicId, partitions: partitions.length, replicationFactor, config, ...racks }];
      }),
    );
  }

  /** See `TopicAdmin.listTopics`. */
  async list(): Promise<readonly string[]> {
    return (await this.metadata('list topics', null)).topics.map(({ name }) => name).sort();
  }

  /** See `TopicAdmin.createTopic`. */
  async create(spec: TopicSpec): Promise<boolean> {
    const { retrier, cluster, requestTimeoutMs } = this.options;
    const what = `create topic ${spec.name}`;
    const created = await retrier.run({
      what,
      details: { topic: spec.name },
      attempt: async () => {
        const answers = await cluster.send(await cluster.controller(), createTopicRequest(spec, requestTimeoutMs));
        const answer = answers[0];
        if (answer === undefined) throw new BrokerError(what, -1);
        // It may be our own doing, by an attempt that was not answered: `false` makes the caller look at what is there.
        if (errorCodeInfo(answer.errorCode).action === 'exists') return false;
        failOn(what, answer.errorCode, { topic: spec.name }, answer.errorMessage);
        return true;
      },
      forget: (failure) => cluster.forget(failure, [spec.name]),
    });
    if (created)
      await this.untilAllKnow(
        spec.name,
        (topic) => topic.errorCode === 0 && topic.partitions.every(({ leaderId }) => leaderId >= 0),
      );
    return created;
  }

  /** See `TopicAdmin.deleteTopic`. */
  async delete(name: string): Promise<void> {
    const { retrier, cluster, configs, requestTimeoutMs } = this.options;
    const what = `delete topic ${name}`;
    await retrier.run({
      what,
      details: { topic: name },
      attempt: async (history) => {
        const answers = await cluster.send(await cluster.controller(), deleteTopicRequest(name, requestTimeoutMs));
        const answer = answers[0];
        if (answer === undefined) throw new BrokerError(what, -1);
        const isGone = answer.errorCode === UNKNOWN_TOPIC_OR_PARTITION && history.mayHaveHappened;
        if (!isGone) failOn(what, answer.errorCode, { topic: name });
      },
      forget: (failure) => cluster.forget(failure, [name]),
    });
    configs.forget(name);
    await this.untilAllKnow(name, (topic) => topic.errorCode === UNKNOWN_TOPIC_OR_PARTITION);
  }

  /** See `TopicAdmin.deleteRecords`. */
  async deleteRecords(before: ReadonlyMap<TopicPartitionKey, Offset>): Promise<void> {
    const { retrier, cluster, requestTimeoutMs } = this.options;
    const wanted = [...before].map(([key, beforeOffset]) => ({ ...parseTopicPartitionKey(key), beforeOffset }));
    if (wanted.length === 0) return;
    await retrier.run({
      what: 'delete records',
      attempt: async () => {
        const leaders = await cluster.byLeader('delete records', wanted);
        const answers = await Promise.all(
          [...leaders].map(([leader, records]) =>
            cluster.send(leader, deleteRecordsRequest(records, requestTimeoutMs)),
          ),
        );
        for (const { topic, partition, errorCode } of answers.flat()) {
          const requestedOffset = wanted.find((at) => at.topic === topic && at.partition === partition)?.beforeOffset;
          failOnLeader(`delete records of ${topic}-${partition}`, errorCode, { topic, partition, requestedOffset });
        }
      },
      forget: (failure) => cluster.forget(failure, new Set(wanted.map(({ topic }) => topic))),
    });
  }

  /** Topics that exist, as a broker has them now. */
  private async metadata(
    what: string,
    names: readonly string[] | null,
  ): Promise<Pick<ClusterMetadata, 'topics' | 'nodes'>> {
    return this.options.retrier.run({
      what,
      attempt: async () => {
        const { topics, nodes } = await this.options.cluster.metadata(names);
        const existing = topics.filter(({ name, errorCode }) => {
          if (errorCode === UNKNOWN_TOPIC_OR_PARTITION || errorCodeInfo(errorCode).name === 'INVALID_TOPIC_EXCEPTION')
            return false;
          // A leader that is missing for the moment does not keep a topic from being described.
          if (errorCodeInfo(errorCode).action !== 'leader') failOn(`${what}: ${name}`, errorCode, { topic: name });
          return true;
        });
        return { topics: existing, nodes };
      },
    });
  }

  private async untilAllKnow(name: string, isNews: (topic: TopicMetadata) => boolean): Promise<void> {
    const { cluster, clock, pauses } = this.options;
    const untilMs = clock.monotonic() + NEWS_TIMEOUT_MS;
    while (clock.monotonic() < untilMs) {
      const seen = await cluster.metadataOfAll(name).catch(() => []);
      const topics = seen.flatMap((each) => each.topics.filter((topic) => topic.name === name));
      if (topics.length > 0 && topics.every(isNews)) return;
      await pauses.pause(NEWS_PAUSE_MS);
    }
  }
}
