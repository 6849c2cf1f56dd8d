/**
 * The sends of one transaction on their way: what is sent in one turn of the event loop travels together.
 *
 * ```
 *   add ──▶ queue ──▶ round: one batch for each partition ──▶ enlist new partitions ──▶ append at all leaders ──▶ next round
 * ```
 * Invariants
 *   Q1  batches of a partition are sent in the order of their sequence numbers, one after the other
 *   Q2  a partition is part of the transaction before a record is sent to it
 *   Q3  the first error ends everything that is queued, and everything that is added later; nothing is sent after it
 *   Q4  a round carries at most MAX_ROUND_BYTES, or one batch
 */
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import type { EncodedBatch } from '../records/encode-batches.js';
import type { OutgoingBatch } from './batch-sender.js';

/** Bytes on their way at a time. */
export const MAX_ROUND_BYTES = 8 * 1024 * 1024;

interface QueuedSend {
  readonly to: TopicPartition;
  readonly batches: readonly EncodedBatch[];
  sent: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface SendQueueOptions {
  /** Makes partitions part of the transaction. */
  enlist(partitions: readonly TopicPartition[]): Promise<void>;
  append(batches: readonly OutgoingBatch[]): Promise<unknown>;
}

export class SendQueue {
  private readonly options: SendQueueOptions;
  private readonly queue: QueuedSend[] = [];
  private readonly enlisted = new Set<TopicPartitionKey>();
  private pumping: Promise<void> | undefined;
  private failure: { readonly error: unknown } | undefined;

  constructor(options: SendQueueOptions) {
    this.options = options;
  }

  /** Resolves when the broker has all of the batches. */
  add(to: TopicPartition, batches: readonly EncodedBatch[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) {
        reject(this.failure.error);
        return;
      }
      this.queue.push({ to, batches, sent: 0, resolve, reject });
      this.pumping ??= this.pump();
    });
  }

  /** Resolves when nothing is on its way; errors are those of `add`. */
  async idle(): Promise<void> {
    await this.pumping;
  }

  /** The next transaction begins without partitions. */
  reset(): void {
    this.enlisted.clear();
  }

  private async pump(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    try {
      while (this.queue.length > 0) await this.sendRound(this.nextRound());
    } catch (error) {
      this.failure = { error };
      for (const { reject } of this.queue.splice(0)) reject(error);
    }
    // At once, with nothing in between: what is added from here on has to start the next run.
    this.pumping = undefined;
  }

  private async sendRound(round: readonly QueuedSend[]): Promise<void> {
    const added = round.map(({ to }) => to).filter((to) => !this.enlisted.has(topicPartitionKey(to)));
    if (added.length > 0) await this.options.enlist(added);
    for (const to of added) this.enlisted.add(topicPartitionKey(to));
    await this.options.append(round.map(outgoing));
    for (const send of round) {
      send.sent += 1;
      if (send.sent < send.batches.length) continue;
      this.queue.splice(this.queue.indexOf(send), 1);
      send.resolve();
    }
  }

  private nextRound(): readonly QueuedSend[] {
    const round = new Map<TopicPartitionKey, QueuedSend>();
    let sizeBytes = 0;
    for (const send of this.queue) {
      const key = topicPartitionKey(send.to);
      if (round.has(key)) continue;
      const bytes = bytesOf(send.batches, send.sent).length;
      if (round.size > 0 && sizeBytes + bytes > MAX_ROUND_BYTES) break;
      sizeBytes += bytes;
      round.set(key, send);
    }
    return [...round.values()];
  }
}

function outgoing({ to: { topic, partition }, batches, sent }: QueuedSend): OutgoingBatch {
  const { from = 0, to = 0 } = batches[sent] ?? {};
  return { topic, partition, batch: bytesOf(batches, sent), from, to };
}

function bytesOf(batches: readonly EncodedBatch[], index: number): Buffer {
  return batches[index]?.bytes ?? Buffer.alloc(0);
}
