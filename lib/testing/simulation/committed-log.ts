/**
 * Every record that a reader of committed records has seen in the topics that an application writes, in order of offsets.
 *
 * It reads at the moment at which a transaction is decided, so that it knows what compaction, retention or a fault takes away
 * later.
 */
import type { FetchResult, LogReader } from '../../log/log.js';
import { byteKey } from '../../model/byte-key.js';
import { OffsetOutOfRangeError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import type { Headers } from '../../model/record-set.js';
import { parseTopicPartitionKey, type TopicPartitionKey } from '../../model/topic-partition.js';

/** Keys and values are bytes, one character a byte: they are compared, and kept in maps. */
export interface SeenRecord {
  readonly offset: Offset;
  readonly key: string | null;
  readonly value: string | null;
  readonly timestampMs: number;
  readonly headers: Headers;
}

const NO_RECORDS: readonly SeenRecord[] = [];
/** All that there is, at once. */
const FETCH_MAX_BYTES = 1 << 30;

export class CommittedLog {
  private readonly log: LogReader;
  private readonly seen = new Map<TopicPartitionKey, SeenRecord[]>();
  private readonly positions = new Map<TopicPartitionKey, Offset>();
  private readonly reading = new Set<Promise<void>>();
  private readonly moved = new Set<TopicPartitionKey>();

  constructor(log: LogReader) {
    this.log = log;
  }

  /** Partitions with records, in the order in which they were first read. */
  get partitions(): readonly TopicPartitionKey[] {
    return [...this.seen.keys()];
  }

  records(of: TopicPartitionKey): readonly SeenRecord[] {
    return this.seen.get(of) ?? NO_RECORDS;
  }

  /** Partitions whose records were gone before they were seen. */
  get incomplete(): ReadonlySet<TopicPartitionKey> {
    return this.moved;
  }

  /** Reads what is new in a partition; the embedded log answers with what it holds at the moment of the call. */
  look(at: TopicPartitionKey): void {
    const reading = this.read(at).finally(() => this.reading.delete(reading));
    this.reading.add(reading);
  }

  /** Resolves when all that was there to see is seen. */
  async settle(): Promise<void> {
    while (this.reading.size > 0) await Promise.all(this.reading);
  }

  private async read(key: TopicPartitionKey): Promise<void> {
    const fromOffset = this.positions.get(key) ?? (0 as Offset);
    try {
      const [result] = await this.log.fetch([{ ...parseTopicPartitionKey(key), fromOffset }], {
        isolation: 'readCommitted',
        maxWaitMs: 0,
        maxBytes: FETCH_MAX_BYTES,
      });
      if (result !== undefined) this.add(key, result);
    } catch (thrown) {
      if (!(thrown instanceof OffsetOutOfRangeError)) throw thrown;
      this.moved.add(key);
    }
  }

  /** Two looks at one moment answer the same records: they are added once. */
  private add(key: TopicPartitionKey, { records, nextOffset }: FetchResult): void {
    const from = this.positions.get(key) ?? 0;
    if (nextOffset <= from) return;
    const seen = this.seen.get(key) ?? [];
    this.seen.set(key, seen);
    for (const record of records) {
      if (record.offset < from) continue;
      const { offset, timestampMs, headers } = record;
      seen.push({ offset, key: packed(record.key), value: packed(record.value), timestampMs, headers });
    }
    this.positions.set(key, nextOffset);
  }
}

function packed(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : byteKey(bytes);
}
