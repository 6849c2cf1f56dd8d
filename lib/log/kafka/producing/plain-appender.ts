/**
 * Appends outside transactions, by an idempotent producer: a batch that had to be repeated is there once.
 *
 * A producer id is given up after an error: its sequence numbers have a gap that the broker would never let pass.
 */
import { ProducerFencedError, type StreamsError, UnknownOutcomeError } from '../../../model/errors.js';
import { type Offset, offset } from '../../../model/offset.js';
import type { RecordSet } from '../../../model/record-set.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import type { Cluster } from '../cluster/cluster.js';
import { failOn } from '../failures.js';
import type { OffsetLister } from '../reading/offset-lister.js';
import { initProducerIdRequest } from '../requests/init-producer-id.js';
import type { Retrier } from '../retrier.js';
import type { BatchSender } from './batch-sender.js';
import { type BatchFormat, ProducerEpoch } from './record-batches.js';
import { afterRefusal, asSendError } from './send-errors.js';

export interface PlainAppenderOptions {
  readonly cluster: Cluster;
  readonly retrier: Retrier;
  readonly sender: BatchSender;
  readonly format: BatchFormat;
  readonly offsets: OffsetLister;
}

export class PlainAppender {
  private readonly options: PlainAppenderOptions;
  private producer: Promise<ProducerEpoch> | undefined;
  /** The end of the last append of each partition that has one under way: they take turns. */
  private readonly turns = new Map<TopicPartitionKey, Promise<unknown>>();

  constructor(options: PlainAppenderOptions) {
    this.options = options;
  }

  /** See `PlainAppend.append`. */
  async append(to: TopicPartition, records: RecordSet): Promise<Offset> {
    const key = topicPartitionKey(to);
    const before = this.turns.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return this.appendNow(to, records);
    })();
    this.turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(key) === turn) this.turns.delete(key);
    }
  }

  private async appendNow(to: TopicPartition, records: RecordSet): Promise<Offset> {
    const { format, sender } = this.options;
    const key = topicPartitionKey(to);
    if (records.size === 0) return this.endOf(to);
    const current = this.currentProducer();
    try {
      const limit = await format.configs.batchLimit(to.topic);
      let first: number | undefined;
      for (const { bytes, from, to: end } of (await current).batches(to, records, limit, format)) {
        const offsets = await sender.send(null, [{ ...to, batch: bytes, from, to: end }]);
        first ??= offsets.get(key) ?? -1;
      }
      return offset(first ?? -1);
    } catch (thrown) {
      if (this.producer === current) this.producer = undefined;
      throw this.asAppendError(thrown, to);
    }
  }

  /** Nobody fences a producer without a transactional id: to the broker it is one that it has forgotten. */
  private asAppendError(thrown: unknown, to: TopicPartition): StreamsError {
    const error = afterRefusal(asSendError(thrown, { ...to }), this.options.format.configs);
    if (!(error instanceof ProducerFencedError)) return error;
    return new UnknownOutcomeError(error.message, { cause: error, details: error.details });
  }

  private async endOf(at: TopicPartition): Promise<Offset> {
    return (await this.options.offsets.list([at], 'highWatermark')).get(topicPartitionKey(at)) ?? offset(0);
  }

  private currentProducer(): Promise<ProducerEpoch> {
    this.producer ??= this.options.retrier.run({
      what: 'initialise an idempotent producer',
      attempt: async () => {
        const { errorCode, producerId, epoch } = await this.options.cluster.sendToAny(initProducerIdRequest(null));
        failOn('initialise an idempotent producer', errorCode);
        return new ProducerEpoch(producerId, epoch, false);
      },
    });
    return this.producer;
  }
}
