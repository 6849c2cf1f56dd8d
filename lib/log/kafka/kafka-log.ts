/**
 * The log port on Apache Kafka (brokers from 2.8 on).
 *
 * kafkajs opens and authenticates connections; what is said over them is ours: fetching, batches, transactions, offsets,
 * topics (docs/decisions/0010-kafkajs-connects-the-protocol-is-ours.md). This file puts the parts together.
 */
import type { Offset } from '../../model/offset.js';
import type { RecordSet } from '../../model/record-set.js';
import type { TopicPartition, TopicPartitionKey } from '../../model/topic-partition.js';
import type {
  CommittedOffset,
  FetchOptions,
  FetchRequest,
  FetchResult,
  Log,
  OffsetSpec,
  OffsetsToCommit,
  ProducerOptions,
  TopicDescription,
  TopicSpec,
  TransactionalProducer,
} from '../log.js';
import { Cluster } from './cluster/cluster.js';
import { GroupOffsets } from './group-offsets.js';
import { type KafkaLogOptions, type ResolvedKafkaLogOptions, resolveKafkaLogOptions } from './kafka-log-options.js';
import { loginsOf } from './kafkajs-client.js';
import { Pauses } from './net/pauses.js';
import { Sockets } from './net/sockets.js';
import { Transport } from './net/transport.js';
import { BatchSender } from './producing/batch-sender.js';
import { PlainAppender } from './producing/plain-appender.js';
import { ProducerOpener } from './producing/producer-opener.js';
import { Fetcher } from './reading/fetcher.js';
import { OffsetLister } from './reading/offset-lister.js';
import { createRecordCodecs } from './records/codecs.js';
import { Retrier } from './retrier.js';
import { TopicCatalog } from './topics/topic-catalog.js';
import { TopicConfigs } from './topics/topic-configs.js';

/**
 * Connects to a Kafka cluster.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING for options that make no sense, wrong credentials, brokers too old ·
 *   {UnavailableError} STREAMS_UNAVAILABLE if no broker could be reached within `retryTimeoutMs`
 */
export async function createKafkaLog(options: KafkaLogOptions): Promise<KafkaLog> {
  const log = new KafkaLog(resolveKafkaLogOptions(options));
  try {
    await log.connect();
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** A log on Kafka; made by {@link createKafkaLog}. */
export class KafkaLog implements Log {
  private readonly transport: Transport;
  private readonly pauses: Pauses;
  private readonly cluster: Cluster;
  private readonly retrier: Retrier;
  private readonly offsets: OffsetLister;
  private readonly fetcher: Fetcher;
  private readonly groups: GroupOffsets;
  private readonly catalog: TopicCatalog;
  private readonly appender: PlainAppender;
  private readonly producers: ProducerOpener;

  constructor(options: ResolvedKafkaLogOptions) {
    const { host, requestTimeoutMs, retryTimeoutMs, bootstrap, awaitMarkers } = options;
    const { clock, random, digest } = host;
    const sockets = new Sockets();
    this.pauses = new Pauses(clock);
    this.transport = new Transport({
      logins: loginsOf(options, sockets),
      sockets,
      clock,
      pauses: this.pauses,
      requestTimeoutMs,
    });
    this.cluster = new Cluster({ transport: this.transport, bootstrap, clock, random });
    this.retrier = new Retrier({ clock, random, pauses: this.pauses, retryTimeoutMs });
    const { cluster, retrier, pauses } = this;
    const codecs = createRecordCodecs();
    const configs = new TopicConfigs(cluster, retrier, clock);
    const format = { configs, digest, compression: codecs.byName(options.compression) };
    const sender = new BatchSender({ cluster, retrier, requestTimeoutMs });
    this.offsets = new OffsetLister(cluster, retrier);
    this.fetcher = new Fetcher({ cluster, retrier, offsets: this.offsets, clock, reading: { digest, codecs } });
    this.groups = new GroupOffsets(cluster, retrier);
    this.catalog = new TopicCatalog({ cluster, retrier, configs, clock, pauses, requestTimeoutMs });
    this.appender = new PlainAppender({ cluster, retrier, sender, format, offsets: this.offsets });
    this.producers = new ProducerOpener({ cluster, retrier, sender, format, awaitMarkers });
  }

  /** Learns where the brokers are. */
  async connect(): Promise<void> {
    await this.retrier.run({ what: 'connect to Kafka', attempt: () => this.cluster.metadata([]) });
  }

  fetch(requests: readonly FetchRequest[], options: FetchOptions): Promise<readonly FetchResult[]> {
    return this.fetcher.fetch(requests, options);
  }

  listOffsets(of: readonly TopicPartition[], spec: OffsetSpec): Promise<ReadonlyMap<TopicPartitionKey, Offset>> {
    return this.offsets.list(of, spec);
  }

  committedOffsets(
    groupId: string,
    of: readonly TopicPartition[],
  ): Promise<ReadonlyMap<TopicPartitionKey, CommittedOffset>> {
    return this.groups.committed(groupId, of);
  }

  commitOffsets(groupId: string, offsets: OffsetsToCommit): Promise<void> {
    return this.groups.commit(groupId, offsets);
  }

  describeTopics(names: readonly string[]): Promise<ReadonlyMap<string, TopicDescription>> {
    return this.catalog.describe(names);
  }

  listTopics(): Promise<readonly string[]> {
    return this.catalog.list();
  }

  createTopic(spec: TopicSpec): Promise<boolean> {
    return this.catalog.create(spec);
  }

  deleteTopic(name: string): Promise<void> {
    return this.catalog.delete(name);
  }

  deleteRecords(before: ReadonlyMap<TopicPartitionKey, Offset>): Promise<void> {
    return this.catalog.deleteRecords(before);
  }

  append(to: TopicPartition, records: RecordSet): Promise<Offset> {
    return this.appender.append(to, records);
  }

  initProducer(options: ProducerOptions): Promise<TransactionalProducer> {
    return this.producers.open(options);
  }

  /** Connections to brokers, for whoever wants to know; none is left after `close`. */
  get openConnections(): number {
    return this.transport.openConnections;
  }

  /** Closes every connection at once; calls that wait fail. May be called twice. */
  async close(): Promise<void> {
    this.pauses.close();
    this.transport.close();
  }
}
