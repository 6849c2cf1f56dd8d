/**
 * A transactional producer (KIP-98), spoken request by request.
 *
 * ```
 *   ready ── any error ──▶ poisoned ──▶ closed
 *     └───────── close ───────────────────▲
 * ```
 * Invariants
 *   K1  after any error nothing more is sent: a batch that arrives late would be committed with the next transaction of the
 *       same epoch, so that only a new initialisation is safe (L5)
 *   K2  a transaction is ended after everything that was sent in it was acknowledged
 *   K3  an end that was given up, or refused when it was repeated, has an unknown outcome: it may have been committed
 */
import {
  ProducerFencedError,
  type StreamsError,
  TransactionStateError,
  UnknownOutcomeError,
} from '../../../model/errors.js';
import type { RecordSet } from '../../../model/record-set.js';
import type { TopicPartition } from '../../../model/topic-partition.js';
import type { OffsetsToCommit, TransactionalProducer } from '../../log.js';
import type { Cluster } from '../cluster/cluster.js';
import { failOn, failOnLeader } from '../failures.js';
import { checkedOffsets, failOnPartition } from '../group-offsets.js';
import { type ProducerIdentity, txnOffsetCommitRequest } from '../requests/offset-commit.js';
import { addOffsetsRequest, addPartitionsRequest, endTxnRequest } from '../requests/transaction-steps.js';
import type { Retrier } from '../retrier.js';
import type { BatchSender } from './batch-sender.js';
import { type BatchFormat, ProducerEpoch } from './record-batches.js';
import { afterRefusal, asSendError } from './send-errors.js';
import { SendQueue } from './send-queue.js';

const OPERATION_NOT_ATTEMPTED = 55;

export interface KafkaProducerOptions {
  readonly cluster: Cluster;
  readonly retrier: Retrier;
  readonly sender: BatchSender;
  readonly format: BatchFormat;
  /** Whether an end returns only when its markers are in all partitions. */
  readonly awaitMarkers: boolean;
}

export class KafkaProducer implements TransactionalProducer {
  readonly producerId: number;
  readonly epoch: number;
  private readonly identity: ProducerIdentity;
  private readonly options: KafkaProducerOptions;
  private readonly numbers: ProducerEpoch;
  private readonly queue: SendQueue;
  private readonly groups = new Set<string>();
  private isOpen = false;
  private poison: StreamsError | undefined;
  private isClosed = false;

  constructor(identity: ProducerIdentity, options: KafkaProducerOptions) {
    this.identity = identity;
    this.producerId = identity.producerId;
    this.epoch = identity.epoch;
    this.options = options;
    this.numbers = new ProducerEpoch(identity.producerId, identity.epoch, true);
    this.queue = new SendQueue({
      enlist: (partitions) => this.enlist(partitions),
      append: (batches) => options.sender.send(identity.transactionalId, batches),
    });
  }

  send(to: TopicPartition, records: RecordSet): Promise<void> {
    return this.perform('send', async () => {
      if (records.size === 0) return;
      const { format } = this.options;
      const limit = await format.configs.batchLimit(to.topic);
      this.checkReady('send');
      await this.queue.add(to, this.numbers.batches(to, records, limit, format));
    });
  }

  sendOffsets(groupId: string, offsets: OffsetsToCommit): Promise<void> {
    return this.perform('sendOffsets', async () => {
      const toCommit = checkedOffsets(offsets);
      if (toCommit.length === 0) return;
      if (!this.groups.has(groupId)) await this.addGroup(groupId);
      const { cluster, retrier } = this.options;
      await retrier.run({
        what: `send offsets of ${groupId}`,
        details: { ...this.identity, groupId },
        attempt: async () => {
          const coordinator = await cluster.coordinator('group', groupId);
          const request = txnOffsetCommitRequest(this.identity, groupId, toCommit);
          failOnPartition('send offsets', await cluster.send(coordinator, request));
        },
        forget: (failure) => cluster.forget(failure, [], ['group', groupId]),
      });
    });
  }

  commit(): Promise<void> {
    return this.perform('commit', () => this.end(true));
  }

  abort(): Promise<void> {
    return this.perform('abort', () => this.end(false));
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  private async perform(what: string, action: () => Promise<void>): Promise<void> {
    this.checkReady(what);
    try {
      await action();
    } catch (thrown) {
      const error = afterRefusal(asSendError(thrown, { ...this.identity }), this.options.format.configs);
      this.poison ??= error;
      throw error;
    }
  }

  private checkReady(what: string): void {
    if (this.isClosed) throw this.refused(what, 'it is closed');
    if (this.poison instanceof ProducerFencedError) throw this.poison;
    if (this.poison !== undefined) throw this.refused(what, 'an earlier call of it failed');
  }

  private async enlist(partitions: readonly TopicPartition[]): Promise<void> {
    this.checkReady('send');
    // From here on the coordinator may know of a transaction, whatever becomes of the request.
    this.isOpen = true;
    const topics = new Set(partitions.map(({ topic }) => topic));
    await this.atCoordinator('add partitions', topics, async (coordinator) => {
      // Says which topics are unknown; the coordinator may only be late to hear of a new one.
      await this.options.cluster.byLeader('add partitions', partitions);
      const results = await this.options.cluster.send(coordinator, addPartitionsRequest(this.identity, partitions));
      // Where one partition is refused, the others are "not attempted": the reason is with the one.
      const refused = results.filter(({ errorCode }) => errorCode !== 0);
      const reason = refused.find(({ errorCode }) => errorCode !== OPERATION_NOT_ATTEMPTED) ?? refused[0];
      if (reason === undefined) return;
      const { topic, partition, errorCode } = reason;
      failOnLeader(`add ${topic}-${partition}`, errorCode, { topic, partition });
    });
  }

  private async addGroup(groupId: string): Promise<void> {
    this.isOpen = true;
    await this.atCoordinator(`add group ${groupId}`, [], async (coordinator) => {
      failOn(
        `add group ${groupId}`,
        await this.options.cluster.send(coordinator, addOffsetsRequest(this.identity, groupId)),
      );
    });
    this.groups.add(groupId);
  }

  private async end(isCommit: boolean): Promise<void> {
    await this.queue.idle();
    this.checkReady(isCommit ? 'commit' : 'abort');
    if (!this.isOpen) return;
    await this.endOnce(isCommit);
    // Answered when it is decided; asked again, the coordinator answers when the markers are written.
    if (this.options.awaitMarkers) await this.endOnce(isCommit);
    this.isOpen = false;
    this.groups.clear();
    this.queue.reset();
  }

  private async endOnce(isCommit: boolean): Promise<void> {
    const what = isCommit ? 'commit' : 'abort';
    let mayHaveHappened = false;
    try {
      await this.atCoordinator(what, [], async (coordinator, history) => {
        mayHaveHappened = history.mayHaveHappened;
        failOn(what, await this.options.cluster.send(coordinator, endTxnRequest(this.identity, isCommit)));
      });
    } catch (error) {
      if (!(error instanceof ProducerFencedError) || !mayHaveHappened) throw error;
      throw new UnknownOutcomeError(`${what}: refused when it was repeated; the first may have succeeded`, {
        cause: error,
        details: { ...this.identity },
      });
    }
  }

  private atCoordinator(
    what: string,
    topics: Iterable<string>,
    attempt: (
      coordinator: Awaited<ReturnType<Cluster['coordinator']>>,
      history: { readonly mayHaveHappened: boolean },
    ) => Promise<void>,
  ): Promise<void> {
    const { cluster, retrier } = this.options;
    const { transactionalId } = this.identity;
    return retrier.run({
      what: `${what} of ${transactionalId}`,
      details: { ...this.identity },
      attempt: async (history) => attempt(await cluster.coordinator('transaction', transactionalId), history),
      forget: (failure) => cluster.forget(failure, topics, ['transaction', transactionalId]),
    });
  }

  private refused(what: string, why: string): TransactionStateError {
    return new TransactionStateError(`${what}: ${why}`, { details: { ...this.identity }, cause: this.poison });
  }
}
