/** The transactions of an application as the log has decided them, told by the effects of its producers. */
import type { CommittedOffset, OffsetsToCommit } from '../../log/log.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../model/topic-partition.js';
import type { Effect, ProducerTag } from './simulated-ports.js';

/** A transaction that was committed. */
export interface CommittedTransaction {
  /** Name of the process that committed it. */
  readonly process: string;
  readonly producer: ProducerTag;
  /** Partitions that it wrote to. */
  readonly sentTo: ReadonlySet<TopicPartitionKey>;
  readonly offsets: ReadonlyMap<TopicPartitionKey, CommittedOffset>;
}

interface OpenTransaction {
  readonly sentTo: Set<TopicPartitionKey>;
  readonly offsets: Map<TopicPartitionKey, CommittedOffset>;
}

export class Transactions {
  private readonly open = new Map<string, OpenTransaction>();
  private readonly listeners: ((transaction: CommittedTransaction) => void)[] = [];
  private readonly offsets = new Map<TopicPartitionKey, CommittedOffset>();

  /** Offsets as the last transaction that named a partition has committed them. */
  get committedOffsets(): OffsetsToCommit {
    return this.offsets;
  }

  /** Hears of each transaction, at the moment at which it is decided; before its offsets are in {@link committedOffsets}. */
  listen(listener: (transaction: CommittedTransaction) => void): void {
    this.listeners.push(listener);
  }

  hear(effect: Effect): void {
    const { producer } = effect;
    if (producer === null) return;
    const id = producerKey(producer);
    if (!effect.ok || effect.method === 'abort')
      this.open.delete(id); // an error poisons the producer: it commits no more
    else if (effect.method === 'send') this.opened(id).sentTo.add(topicPartitionKey(effect.args[0] as TopicPartition));
    else if (effect.method === 'sendOffsets') this.addOffsets(id, effect.args[1] as OffsetsToCommit);
    else if (effect.method === 'commit') this.decided(id, effect.process.name, producer);
  }

  private opened(id: string): OpenTransaction {
    const known = this.open.get(id);
    if (known !== undefined) return known;
    const opened = { sentTo: new Set<TopicPartitionKey>(), offsets: new Map<TopicPartitionKey, CommittedOffset>() };
    this.open.set(id, opened);
    return opened;
  }

  private addOffsets(id: string, offsets: OffsetsToCommit): void {
    const { offsets: all } = this.opened(id);
    for (const [key, committed] of offsets) all.set(key, committed);
  }

  private decided(id: string, process: string, producer: ProducerTag): void {
    const transaction = this.open.get(id);
    this.open.delete(id);
    if (transaction === undefined) return; // without a send there is no transaction
    for (const listener of this.listeners) listener({ ...transaction, process, producer });
    for (const [key, committed] of transaction.offsets) this.offsets.set(key, committed);
  }
}

/** One initialisation of one transactional id. */
export function producerKey({ transactionalId, producerId, epoch }: ProducerTag): string {
  return `${transactionalId}#${producerId}#${epoch}`;
}
