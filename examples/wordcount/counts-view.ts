import { type Log, offset, topicPartitionKey } from '../../lib/local/index.js';

const FETCH_BYTES = 1024 * 1024;
const WAIT_MS = 250;

export interface WordCount {
  readonly word: string;
  readonly count: number;
}

/** The counts as a downstream consumer sees them: a read-committed reader of the output topic. */
export class CountsView {
  private readonly counts = new Map<string, number>();
  private total = 0;
  private readonly positions: Map<number, number>;
  private readonly log: Log;
  private readonly topic: string;

  constructor(log: Log, topic: string, partitions: number) {
    this.log = log;
    this.topic = topic;
    this.positions = new Map(Array.from({ length: partitions }, (_, partition) => [partition, 0]));
  }

  get distinctWords(): number {
    return this.counts.size;
  }

  /** Sum of all counts: the words counted. */
  get totalWords(): number {
    return this.total;
  }

  /** Words by count, greatest first; equal counts in order of the word. */
  top(limit: number): readonly WordCount[] {
    const sorted = [...this.counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return sorted.slice(0, limit).map(([word, count]) => ({ word, count }));
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.startAtEarliest();
    while (!signal.aborted) {
      try {
        await this.readOn(signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
  }

  /** Whether everything committed by now has been read. */
  async atEnd(): Promise<boolean> {
    const inputs = [...this.positions.keys()].map((partition) => ({ topic: this.topic, partition }));
    const ends = await this.log.listOffsets(inputs, 'lastStable');
    return inputs.every(
      (input) => (this.positions.get(input.partition) ?? 0) >= (ends.get(topicPartitionKey(input)) ?? 0),
    );
  }

  private async startAtEarliest(): Promise<void> {
    const inputs = [...this.positions.keys()].map((partition) => ({ topic: this.topic, partition }));
    const starts = await this.log.listOffsets(inputs, 'earliest');
    for (const input of inputs) this.positions.set(input.partition, starts.get(topicPartitionKey(input)) ?? 0);
  }

  private async readOn(signal: AbortSignal): Promise<void> {
    const requests = [...this.positions].map(([partition, next]) => ({
      topic: this.topic,
      partition,
      fromOffset: offset(next),
    }));
    const results = await this.log.fetch(requests, {
      isolation: 'readCommitted',
      maxWaitMs: WAIT_MS,
      maxBytes: FETCH_BYTES,
      signal,
    });
    for (const { partition, records, nextOffset } of results) {
      for (let index = 0; index < records.size; index += 1) this.apply(records.key(index), records.value(index));
      this.positions.set(partition, nextOffset);
    }
  }

  private apply(key: Uint8Array | null, value: Uint8Array | null): void {
    if (key === null || value === null) return;
    const word = Buffer.from(key.buffer, key.byteOffset, key.length).toString();
    const count = Number(Buffer.from(value.buffer, value.byteOffset, value.length).readBigInt64BE());
    this.total += count - (this.counts.get(word) ?? 0);
    this.counts.set(word, count);
  }
}
