/**
 * The cluster as its clients need it: who leads a partition, who coordinates a group or a transactional id, and requests to
 * them. What is known is kept until a failure proves it old; nothing here retries.
 */
import type { Clock, Random } from '../../../host/host.js';
import type { TopicPartition } from '../../../model/topic-partition.js';
import { BrokerError, ConnectionFailure, type Failure, failOn, UNKNOWN_TOPIC_OR_PARTITION } from '../failures.js';
import type { Address, Poll, Transport } from '../net/transport.js';
import type { ApiRequest } from '../protocol/api.js';
import { type ErrorAction, errorCodeInfo } from '../protocol/error-codes.js';
import { type CoordinatorKind, findCoordinatorRequest } from '../requests/find-coordinator.js';
import { type ClusterMetadata, metadataRequest, NO_TOPIC_ID, type TopicMetadata } from '../requests/metadata.js';
import { Nodes } from './nodes.js';

/** Metadata is asked for again after this time, whether or not anything failed. Kafka: `metadata.max.age.ms`. */
export const METADATA_MAX_AGE_MS = 300_000;
/** Topics and coordinators remembered; the oldest are forgotten and asked for again. */
export const MAX_REMEMBERED = 10_000;

/** What proves metadata of a topic to be old, or may. */
const RENEW_METADATA: ReadonlySet<ErrorAction> = new Set(['leader', 'unknown-topic', 'other-topic', 'retry']);

const LEADER_NOT_AVAILABLE = 5;
const BROKER_NOT_AVAILABLE = 8;

interface Remembered<T> {
  readonly value: T;
  readonly atMs: number;
}

export interface ClusterOptions {
  readonly transport: Transport;
  readonly bootstrap: readonly Address[];
  readonly clock: Clock;
  readonly random: Random;
}

export class Cluster {
  private readonly transport: Transport;
  private readonly clock: Clock;
  private readonly nodes: Nodes;
  private controllerId = -1;
  private readonly topics = new Map<string, Remembered<TopicMetadata>>();
  private readonly coordinators = new Map<string, Address>();
  private readonly asking = new Map<string, Promise<void>>();

  constructor({ transport, bootstrap, clock, random }: ClusterOptions) {
    this.transport = transport;
    this.clock = clock;
    this.nodes = new Nodes(bootstrap, random);
  }

  /** Metadata as one broker has it now. @throws {BrokerError} · {ConnectionFailure} */
  async metadata(topics: readonly string[] | null): Promise<ClusterMetadata> {
    const answer = await this.sendToAny(metadataRequest(topics));
    // What a broker says that has just started, or before it hangs up on somebody whom it does not know.
    if (answer.nodes.length === 0) throw new BrokerError('metadata without a single broker', BROKER_NOT_AVAILABLE);
    this.learn(answer);
    return answer;
  }

  /** Metadata of a topic as every broker that answers has it. */
  async metadataOfAll(topic: string): Promise<readonly ClusterMetadata[]> {
    const { nodes } = await this.metadata([topic]);
    const request = metadataRequest([topic]);
    const answers = await Promise.allSettled(nodes.map((node) => this.transport.send(node, request)));
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }

  /** Asks once for all topics that are not remembered. */
  async learnTopics(names: Iterable<string>): Promise<void> {
    const bestBefore = this.clock.monotonic() - METADATA_MAX_AGE_MS;
    const wanted = [...new Set(names)].filter((name) => (this.topics.get(name)?.atMs ?? -Infinity) < bestBefore);
    const missing = wanted.filter((name) => !this.asking.has(name));
    if (missing.length > 0) {
      const asked = this.metadata(missing).then(() => undefined);
      for (const name of missing) this.asking.set(name, asked);
      const done = () => {
        for (const name of missing) this.asking.delete(name);
      };
      asked.then(done, done);
    }
    await Promise.all(wanted.map((name) => this.asking.get(name)));
  }

  /** Groups partitions by their leader. @throws {BrokerError} UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE */
  async byLeader<T extends TopicPartition>(what: string, items: readonly T[]): Promise<ReadonlyMap<Address, T[]>> {
    await this.learnTopics(items.map(({ topic }) => topic));
    const groups = new Map<Address, T[]>();
    for (const item of items) {
      const leader = this.leaderOf(what, item);
      const group = groups.get(leader);
      if (group === undefined) groups.set(leader, [item]);
      else group.push(item);
    }
    return groups;
  }

  /** The id that a topic has, as far as is known: {@link NO_TOPIC_ID} on clusters without ids. */
  topicId(name: string): string {
    return this.topics.get(name)?.value.topicId ?? NO_TOPIC_ID;
  }

  async coordinator(kind: CoordinatorKind, id: string): Promise<Address> {
    const key = `${kind} ${id}`;
    const known = this.coordinators.get(key);
    if (known !== undefined) return known;
    const { errorCode, node } = await this.sendToAny(findCoordinatorRequest(kind, id));
    failOn(`find the coordinator of ${kind} ${id}`, errorCode, { kind, id });
    const address = { host: node.host, port: node.port };
    remember(this.coordinators, key, address);
    return address;
  }

  /** The controller, or any broker that passes requests on to it. */
  async controller(): Promise<Address> {
    if (this.nodes.all.length === 0) await this.metadata([]);
    return this.nodes.all.some(({ nodeId }) => nodeId === this.controllerId)
      ? this.nodes.byId(this.controllerId, 'find the controller')
      : this.nodes.any();
  }

  async sendToAny<T>(request: ApiRequest<T>): Promise<T> {
    return this.send(this.nodes.any(), request);
  }

  async send<T>(to: Address, request: ApiRequest<T>): Promise<T> {
    try {
      const answer = await this.transport.send(to, request);
      this.nodes.answered(to);
      return answer;
    } catch (failure) {
      if (failure instanceof ConnectionFailure) this.nodes.failed(to);
      throw failure;
    }
  }

  poll<T>(to: Address, request: ApiRequest<T>): Poll<T> {
    return this.transport.poll(to, request);
  }

  /** Forgets what the failure proves to be old. */
  forget(failure: Failure, topics: Iterable<string>, coordinator?: readonly [kind: CoordinatorKind, id: string]): void {
    const isLost = failure instanceof ConnectionFailure;
    const action = isLost ? 'retry' : failure.action;
    if (isLost || RENEW_METADATA.has(action)) for (const topic of topics) this.topics.delete(topic);
    if (coordinator !== undefined && (isLost || action === 'coordinator'))
      this.coordinators.delete(`${coordinator[0]} ${coordinator[1]}`);
  }

  private leaderOf(what: string, { topic, partition }: TopicPartition): Address {
    const metadata = this.topics.get(topic)?.value;
    const found = metadata?.partitions.find((each) => each.partition === partition);
    const details = { topic, partition };
    if (metadata !== undefined && metadata.errorCode !== 0) failOn(what, metadata.errorCode, details);
    if (found === undefined)
      throw new BrokerError(`${what} ${topic}-${partition}`, UNKNOWN_TOPIC_OR_PARTITION, details);
    if (found.leaderId < 0) throw new BrokerError(what, found.errorCode || LEADER_NOT_AVAILABLE, details);
    return this.nodes.byId(found.leaderId, what);
  }

  private learn({ nodes, controllerId, topics }: ClusterMetadata): void {
    const atMs = this.clock.monotonic();
    this.nodes.replace(nodes);
    this.controllerId = controllerId;
    for (const topic of topics) {
      // An invalid name can not be the name of a topic: to who reads or writes it, it is unknown.
      const isUnknown = errorCodeInfo(topic.errorCode).name === 'INVALID_TOPIC_EXCEPTION';
      const value = isUnknown ? { ...topic, errorCode: UNKNOWN_TOPIC_OR_PARTITION } : topic;
      remember(this.topics, topic.name, { value, atMs });
    }
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
