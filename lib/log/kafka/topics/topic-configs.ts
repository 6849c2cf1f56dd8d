import type { Clock } from '../../../host/host.js';
import { InvalidSettingError } from '../../../model/errors.js';
import type { TopicConfig } from '../../log.js';
import type { Cluster } from '../cluster/cluster.js';
import { failOn } from '../failures.js';
import { describeConfigsRequest } from '../requests/topic-requests.js';
import type { Retrier } from '../retrier.js';

/** How long a topic's `max.message.bytes` is trusted; a batch that is refused meanwhile asks again. */
const MAX_AGE_MS = 300_000;
/** Topics remembered. */
const MAX_REMEMBERED = 10_000;
/** Kafka's default, where the broker does not say. */
const DEFAULT_MAX_MESSAGE_BYTES = 1_048_588;

/** What a batch of a topic may take, in bytes. */
export interface BatchLimit {
  /** `max.message.bytes`. */
  readonly maxBatchBytes: number;
  /** Of a batch of several records, where less is known to be taken. */
  readonly packBytes?: number;
}

/** Settings of topics, by Kafka's names. */
export class TopicConfigs {
  private readonly cluster: Cluster;
  private readonly retrier: Retrier;
  private readonly clock: Clock;
  private readonly limits = new Map<string, { readonly bytes: Promise<number>; readonly atMs: number }>();
  /** Less than a batch of several records that was refused, although it was within the limit as far as that is known. */
  private readonly packed = new Map<string, { readonly bytes: number; readonly atMs: number }>();

  constructor(cluster: Cluster, retrier: Retrier, clock: Clock) {
    this.cluster = cluster;
    this.retrier = retrier;
    this.clock = clock;
  }

  /** Settings of topics that exist. @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC */
  async describe(topics: readonly string[]): Promise<ReadonlyMap<string, TopicConfig>> {
    if (topics.length === 0) return new Map();
    return this.retrier.run({
      what: 'describe topics',
      attempt: async () => {
        const described = await this.cluster.sendToAny(describeConfigsRequest(topics));
        for (const { topic, errorCode, errorMessage } of described)
          failOn(`describe ${topic}`, errorCode, { topic }, errorMessage);
        return new Map(described.map(({ topic, config }) => [topic, config]));
      },
    });
  }

  /** What a batch of a topic may take. */
  async batchLimit(topic: string): Promise<BatchLimit> {
    const maxBatchBytes = await this.maxMessageBytes(topic);
    const packed = this.packed.get(topic);
    if (packed === undefined || this.clock.monotonic() - packed.atMs >= MAX_AGE_MS) return { maxBatchBytes };
    return { maxBatchBytes, packBytes: packed.bytes };
  }

  /**
   * Notes that a topic has refused a batch for its size: its limit is asked for again, and where nobody may read it, batches of several
   * records are made half as large.
   */
  refused(topic: string, batchBytes: number): void {
    this.limits.clear();
    if (this.packed.size >= MAX_REMEMBERED) this.packed.clear();
    this.packed.set(topic, { bytes: Math.floor(batchBytes / 2), atMs: this.clock.monotonic() });
  }

  /** `max.message.bytes` of a topic: the largest batch, compressed, that it takes. */
  private maxMessageBytes(topic: string): Promise<number> {
    const nowMs = this.clock.monotonic();
    const known = this.limits.get(topic);
    if (known !== undefined && nowMs - known.atMs < MAX_AGE_MS) return known.bytes;
    const bytes = this.askLimit(topic);
    if (this.limits.size >= MAX_REMEMBERED) this.limits.clear();
    this.limits.set(topic, { bytes, atMs: nowMs });
    bytes.catch(() => this.forget(topic));
    return bytes;
  }

  forget(topic: string): void {
    this.limits.delete(topic);
  }

  /** Asks for all limits again. */
  forgetLimits(): void {
    this.limits.clear();
  }

  private async askLimit(topic: string): Promise<number> {
    try {
      const config = (await this.describe([topic])).get(topic);
      const bytes = Number(config?.['max.message.bytes']);
      return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : DEFAULT_MAX_MESSAGE_BYTES;
    } catch (error) {
      // Who may write to a topic need not have the right to read its settings.
      if (error instanceof InvalidSettingError) return DEFAULT_MAX_MESSAGE_BYTES;
      throw error;
    }
  }
}
