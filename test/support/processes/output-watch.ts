import type { Log } from '../../../lib/log/log.js';
import { type Offset, offset } from '../../../lib/model/offset.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { waitFor } from '../wait-for.js';
import { LIVE } from './live-feed.js';

const FETCH = { isolation: 'readCommitted', maxWaitMs: 100, maxBytes: 4 * 1024 * 1024 } as const;
const SEEN_WITHIN_MS = 60_000;

/** When a reader saw a live record of the output, and the timestamp of the input record that made it. */
interface Seen {
  readonly seenAtMs: number;
  readonly writtenAtMs: number;
}

/**
 * A read-committed reader of a topic of (key, count) records, from its beginning on, as a user's consumer would be: it knows when each live record
 * came, and holds every key to 1, 2, 3 … Give it a log of its own: on a shared connection its waiting would hold up others.
 */
export class OutputWatch {
  /** What was not the next count of its key: twice, missing, or out of order. Empty if nothing was. */
  readonly wrong: string[] = [];
  private readonly log: Log;
  private readonly topic: string;
  private readonly seen: readonly Seen[][];
  private readonly counts = new Map<string, number>();
  private readonly ending = new AbortController();
  private readonly watching: Promise<void>;

  constructor(log: Log, topic: string, partitions: number) {
    this.log = log;
    this.topic = topic;
    this.seen = Array.from({ length: partitions }, () => []);
    this.watching = this.run();
    this.watching.catch(() => undefined); // whoever stops it hears of it
  }

  /** Of each partition the longest time in which nothing new came, from one moment to another. Wall clock. */
  longestGaps(fromMs: number, toMs: number): readonly number[] {
    return this.seen.map((seen) => {
      const times = seen.map(({ seenAtMs }) => seenAtMs).filter((atMs) => atMs > fromMs && atMs < toMs);
      const gaps = [...times, toMs].map((atMs, index) => atMs - (times[index - 1] ?? fromMs));
      return Math.max(...gaps);
    });
  }

  /** When the first record came that was made of what went in after a moment; undefined: none did yet. */
  firstOf(partition: number, writtenAfterMs: number): number | undefined {
    return this.seen[partition]?.find(({ writtenAtMs }) => writtenAtMs > writtenAfterMs)?.seenAtMs;
  }

  /** Keys that have come, whatever their kind. */
  get keys(): number {
    return this.counts.size;
  }

  /** Waits until every key has had as many counts as were sent, then answers what was wrong. */
  async compare(sent: ReadonlyMap<string, number>): Promise<readonly string[]> {
    const isShort = () => [...sent].some(([key, count]) => (this.counts.get(key) ?? 0) < count);
    await waitFor('all counts to be seen', async () => !isShort(), SEEN_WITHIN_MS);
    const tooMany = [...sent].filter(([key, count]) => this.counts.get(key) !== count).map(([key]) => key);
    return [...this.wrong, ...tooMany];
  }

  /** @throws what reading threw */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.watching;
  }

  private async run(): Promise<void> {
    const { topic } = this;
    const next = this.seen.map((_, partition) => ({ topic, partition, fromOffset: offset(0) as Offset }));
    while (!this.ending.signal.aborted) {
      for (const { partition, records, nextOffset } of await this.log.fetch(next, FETCH)) {
        const seenAtMs = Date.now();
        for (const { key, value, timestampMs } of records)
          this.take(partition, Buffer.from(key ?? []).toString(), Buffer.from(value ?? []), {
            seenAtMs,
            writtenAtMs: timestampMs,
          });
        next[partition] = { topic, partition, fromOffset: nextOffset };
      }
    }
  }

  private take(partition: number, key: string, value: Buffer, seen: Seen): void {
    const count = Number(value.readBigInt64BE());
    const due = (this.counts.get(key) ?? 0) + 1;
    if (count !== due)
      this.wrong.push(`${topicPartitionKey({ topic: this.topic, partition })}: ${key} is ${count} where ${due} is due`);
    this.counts.set(key, count);
    if (key.startsWith(LIVE)) this.seen[partition]?.push(seen);
  }
}
