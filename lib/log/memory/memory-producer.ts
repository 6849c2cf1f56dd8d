import { TransactionStateError } from '../../model/errors.js';
import type { RecordSet } from '../../model/record-set.js';
import type { TopicPartition } from '../../model/topic-partition.js';
import type { OffsetsToCommit, TransactionalProducer } from '../log.js';
import type { ProducerIdentity, TransactionOutcome } from './transactions.js';

/** What a producer asks of the log; each call throws without a trace, or takes effect as a whole. */
export interface ProducerBroker {
  /** @throws {ProducerFencedError} STREAMS_PRODUCER_FENCED */
  checkNewest(producer: ProducerIdentity): void;
  appendTransactional(producer: ProducerIdentity, to: TopicPartition, records: RecordSet): void;
  commitTransactional(producer: ProducerIdentity, groupId: string, offsets: OffsetsToCommit): void;
  endTransaction(producer: ProducerIdentity, outcome: TransactionOutcome): void;
}

/**
 * ```
 *   ready ── any error ──▶ poisoned ──▶ closed
 *     └───────── close ───────────────────▲
 * ```
 * Fencing is looked at first, so that a fenced producer says so whatever else is wrong with it.
 */
export class MemoryProducer implements TransactionalProducer {
  readonly producerId: number;
  readonly epoch: number;
  private readonly identity: ProducerIdentity;
  private readonly broker: ProducerBroker;
  private poison: unknown;
  private state: 'ready' | 'poisoned' | 'closed' = 'ready';

  constructor(identity: ProducerIdentity, broker: ProducerBroker) {
    this.identity = identity;
    this.producerId = identity.producerId;
    this.epoch = identity.epoch;
    this.broker = broker;
  }

  async send(to: TopicPartition, records: RecordSet): Promise<void> {
    this.perform('send', () => this.broker.appendTransactional(this.identity, to, records));
  }

  async sendOffsets(groupId: string, offsets: OffsetsToCommit): Promise<void> {
    this.perform('sendOffsets', () => this.broker.commitTransactional(this.identity, groupId, offsets));
  }

  async commit(): Promise<void> {
    this.perform('commit', () => this.broker.endTransaction(this.identity, 'commit'));
  }

  async abort(): Promise<void> {
    this.perform('abort', () => this.broker.endTransaction(this.identity, 'abort'));
  }

  async close(): Promise<void> {
    this.state = 'closed';
  }

  private perform(what: string, action: () => void): void {
    if (this.state === 'closed') throw this.refused(what, 'it is closed');
    try {
      this.broker.checkNewest(this.identity);
      if (this.state === 'poisoned') throw this.refused(what, 'an earlier call of it failed');
      action();
    } catch (thrown) {
      if (this.state === 'ready') {
        this.state = 'poisoned';
        this.poison = thrown;
      }
      throw thrown;
    }
  }

  private refused(what: string, why: string): TransactionStateError {
    return new TransactionStateError(`${what}: ${why}`, { details: { ...this.identity }, cause: this.poison });
  }
}
