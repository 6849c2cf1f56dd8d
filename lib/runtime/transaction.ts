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
 */
import type { OffsetsToCommit, TransactionalProducer } from '../log/log.js';
import type { RecordSet } from '../model/record-set.js';
import type { Settings } from '../model/settings.js';
import { parseTopicPartitionKey, type TopicPartitionKey } from '../model/topic-partition.js';

export interface Transaction {
  readonly producer: TransactionalProducer;
  readonly guarantee: Settings['processingGuarantee'];
  readonly groupId: string;
  readonly records: readonly ReadonlyMap<TopicPartitionKey, RecordSet>[];
  readonly offsets: OffsetsToCommit;
}

/**
 * Commits; returns when the outcome is certain.
 *
 * @throws {ProducerFencedError} STREAMS_PRODUCER_FENCED · {UnknownOutcomeError} STREAMS_UNKNOWN_OUTCOME: it may have been
 *   committed · {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE · {UnknownTopicError} STREAMS_UNKNOWN_TOPIC
 */
export async function commitTransaction(transaction: Transaction): Promise<void> {
  const { producer, guarantee, groupId, offsets } = transaction;
  const sent = await sendAll(transaction);
  if (sent && guarantee === 'at_least_once') await producer.commit();
  if (offsets.size > 0) await producer.sendOffsets(groupId, offsets);
  if (offsets.size > 0 || (sent && guarantee === 'exactly_once_v2')) await producer.commit();
}

/** Sends to all partitions at once, each partition's records as one set. @returns whether there was anything to send */
async function sendAll({ producer, records }: Transaction): Promise<boolean> {
  const sends: Promise<void>[] = [];
  for (const byPartition of records) {
    for (const [key, set] of byPartition) {
      if (set.size > 0) sends.push(producer.send(parseTopicPartitionKey(key), set));
    }
  }
  const outcomes = await Promise.allSettled(sends);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return sends.length > 0;
}
