/**
 * Appends batches at their leaders, in parallel, and repeats what failed: a batch with a producer id and a sequence number is
 * appended once, however often it is sent (KIP-98).
 */
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import type { Cluster } from '../cluster/cluster.js';
import { BrokerError, type Failure, isFailure, leaderFailure } from '../failures.js';
import type { Address } from '../net/transport.js';
import { errorCodeInfo } from '../protocol/error-codes.js';
import { type ProducedPartition, produceRequest } from '../requests/produce.js';
import type { Retrier } from '../retrier.js';

export interface OutgoingBatch extends TopicPartition {
  readonly batch: Uint8Array;
  /** Of the set that was sent: records [from, to) are in the batch. */
  readonly from: number;
  readonly to: number;
}

/** Offset of each batch's first record; absent where the broker knew the batch already and not its place. */
export type BaseOffsets = ReadonlyMap<TopicPartitionKey, number>;

const WHAT = 'append';
const DUPLICATE = 'DUPLICATE_SEQUENCE_NUMBER';

export interface BatchSenderOptions {
  readonly cluster: Cluster;
  readonly retrier: Retrier;
  readonly requestTimeoutMs: number;
}

export class BatchSender {
  private readonly options: BatchSenderOptions;

  constructor(options: BatchSenderOptions) {
    this.options = options;
  }

  /**
   * Appends one batch to each of several partitions; durable when it returns.
   *
   * @throws {StreamsError} as `asLogError` says; some of the batches may have been appended
   */
  async send(transactionalId: string | null, batches: readonly OutgoingBatch[]): Promise<BaseOffsets> {
    const { cluster, retrier } = this.options;
    const appended = new Map<TopicPartitionKey, number>();
    const left = new Map(batches.map((batch) => [topicPartitionKey(batch), batch]));
    await retrier.run({
      what: WHAT,
      details: { topics: [...new Set(batches.map(({ topic }) => topic))] },
      attempt: async () => {
        const leaders = await cluster.byLeader(WHAT, [...left.values()]);
        const failures = await Promise.all(
          [...leaders].map(([leader, group]) =>
            this.sendTo(leader, transactionalId, group, (key, baseOffset) => {
              left.delete(key);
              if (baseOffset >= 0) appended.set(key, baseOffset);
            }),
          ),
        );
        // What can not be repaired by repeating is reported first.
        const all = failures.flat();
        const worst = all.find((failure) => !isRepairable(failure)) ?? all[0];
        if (worst !== undefined) throw worst;
      },
      forget: (failure) => cluster.forget(failure, new Set([...left.values()].map(({ topic }) => topic))),
    });
    return appended;
  }

  private async sendTo(
    leader: Address,
    transactionalId: string | null,
    batches: readonly OutgoingBatch[],
    onAppended: (key: TopicPartitionKey, baseOffset: number) => void,
  ): Promise<readonly Failure[]> {
    const { cluster, requestTimeoutMs } = this.options;
    let answers: readonly ProducedPartition[];
    try {
      answers = await cluster.send(leader, produceRequest(transactionalId, requestTimeoutMs, batches));
    } catch (thrown) {
      if (isFailure(thrown)) return [thrown];
      throw thrown;
    }
    const failures: Failure[] = [];
    for (const { topic, partition, errorCode, errorMessage, baseOffset } of answers) {
      const isDone = errorCode === 0 || errorCodeInfo(errorCode).name === DUPLICATE;
      const what = `${WHAT} to ${topic}-${partition}`;
      if (isDone) onAppended(topicPartitionKey({ topic, partition }), baseOffset);
      const batch = batches.find((sent) => sent.topic === topic && sent.partition === partition);
      const details = { topic, partition, ...(batch !== undefined && sizeOf(batch)) };
      const failure = isDone ? null : leaderFailure(what, errorCode, details, errorMessage);
      if (failure !== null) failures.push(failure);
    }
    return failures;
  }
}

/** Of a batch, for who has to make it smaller. */
function sizeOf({ batch, from, to }: OutgoingBatch) {
  return { batchBytes: batch.length, from, to };
}

function isRepairable(failure: Failure): boolean {
  if (!(failure instanceof BrokerError)) return !failure.isRefusal;
  return ['leader', 'coordinator', 'retry', 'soon', 'unknown-topic'].includes(failure.action);
}
