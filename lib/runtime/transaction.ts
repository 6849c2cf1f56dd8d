/**
 * Makes one sealed output of a task true in the log.
 *
 * Invariants (docs/design.md §4)
 *   X1  exactly once: outputs, changelog records and input offsets go into one transaction, offsets last
 *   X2  at least once: outputs and changelog records are committed first, offsets after that: a crash in between repeats
 *       records and loses none. Both go through the producer, in a transaction each, so that a stale owner can neither overwrite
 *       newer state nor set committed offsets back: behind them a repartition topic may have been trimmed already
 *   X3  every send has settled when this returns or throws: nothing of a failed transaction is still on its way
 *   X4  after an error nothing more is asked of the producer but `close`
 *   X5  who loses its slot between two steps takes no further one: the broker's fence may not have met it yet
 */
import type { OffsetsToCommit, TransactionalProducer } from '../log/log.js';
import { AbortedError, RecordTooLargeError, TransactionStateError } from '../model/errors.js';
import type { RecordSet } from '../model/record-set.js';
import type { Settings } from '../model/settings.js';
import { parseTopicPartitionKey, type TopicPartition, type TopicPartitionKey } from '../model/topic-partition.js';
import type { Stop } from './stop.js';

export interface Transaction {
  readonly producer: TransactionalProducer;
  readonly guarantee: Settings['processingGuarantee'];
  readonly groupId: string;
  readonly records: readonly ReadonlyMap<TopicPartitionKey, RecordSet>[];
  readonly offsets: OffsetsToCommit;
  /** Of the run that commits. */
  readonly stop: Pick<Stop, 'reason'>;
  /** Told of the records, by index, that a topic has refused for their size. */
  readonly refused?: (set: RecordSet, indexes: readonly number[], to: TopicPartition) => void;
}

/**
 * Commits; returns when the outcome is certain.
 *
 * @throws {ProducerFencedError} STREAMS_PRODUCER_FENCED · {UnknownOutcomeError} STREAMS_UNKNOWN_OUTCOME: it may have been
 *   committed · {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE · {UnknownTopicError} STREAMS_UNKNOWN_TOPIC ·
 *   {AbortedError} STREAMS_ABORTED: the slot was lost before the last step
 */
export async function commitTransaction(transaction: Transaction): Promise<void> {
  const { producer, guarantee, groupId, offsets } = transaction;
  const sent = await sendAll(transaction);
  if (sent && guarantee === 'at_least_once') await commit(transaction);
  if (offsets.size > 0) {
    refuseLost(transaction);
    await producer.sendOffsets(groupId, offsets);
  }
  if (offsets.size > 0 || (sent && guarantee === 'exactly_once_v2')) await commit(transaction);
}

async function commit(transaction: Transaction): Promise<void> {
  refuseLost(transaction);
  await transaction.producer.commit();
}

/** X5. */
function refuseLost({ stop }: Transaction): void {
  if (stop.reason === 'lost') throw new AbortedError('the slot was lost before the commit');
}

/** Sends to all partitions at once, each partition's records as one set. @returns whether there was anything to send */
async function sendAll({ producer, records, refused }: Transaction): Promise<boolean> {
  const sends = records
    .flatMap((byPartition) => [...byPartition])
    .filter(([, set]) => set.size > 0)
    .map(([key, set]) => ({ set, to: parseTopicPartitionKey(key) }));
  const outcomes = await Promise.allSettled(sends.map(({ set, to }) => producer.send(to, set)));
  const failures = outcomes.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return [];
    const { set, to } = sends[index] as (typeof sends)[number];
    if (outcome.reason instanceof RecordTooLargeError) refused?.(set, outcome.reason.refused, to);
    return [{ thrown: outcome.reason as unknown }];
  });
  // After the first error of a producer its other sends are refused for that: what began it is the reason.
  const first = failures.find(({ thrown }) => !(thrown instanceof TransactionStateError)) ?? failures[0];
  if (first !== undefined) throw first.thrown;
  return sends.length > 0;
}
