import type {
  FetchResult,
  IsolationLevel,
  Log,
  OffsetSpec,
  OffsetsToCommit,
  TopicConfig,
  TransactionalProducer,
} from '../../../log/log.js';
import { appendAll } from '../../../model/lists.js';
import { type Offset, offset } from '../../../model/offset.js';
import type { Headers, RecordSet } from '../../../model/record-set.js';
import { RecordSetBuilder } from '../../../model/record-set-builder.js';
import { type TopicPartition, topicPartitionKey } from '../../../model/topic-partition.js';
import type { LogConformanceTarget } from './target.js';

/** A record as the tests write it: texts, or null. */
export interface TextRecord {
  readonly key: string | null;
  readonly value: string | null;
  readonly timestampMs?: number;
  readonly headers?: Headers;
}

/** What a reader got by reading on until its end. */
export interface Reading {
  /** `offset:key=value` of each record. */
  readonly records: readonly string[];
  readonly nextOffset: number;
}

const DEFAULT_TIMESTAMP_MS = 1_700_000_000_000;
const TRANSACTION_TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
/** Fetches without any progress, and all fetches, after which a reading gives up. */
const MAX_FETCHES = 1_000;

/** A set of records from texts. */
export function records(...of: readonly (TextRecord | string)[]): RecordSet {
  const builder = new RecordSetBuilder();
  for (const item of of) {
    const { key, value, timestampMs = DEFAULT_TIMESTAMP_MS, headers } = typeof item === 'string' ? parse(item) : item;
    builder.append(bytes(key), bytes(value), timestampMs, headers);
  }
  return builder.build();
}

function parse(text: string): TextRecord {
  const [key = '', value] = text.split('=');
  return { key, value: value ?? null };
}

function bytes(text: string | null): Uint8Array | null {
  return text === null ? null : Buffer.from(text);
}

function text(of: Uint8Array | null): string {
  return of === null ? 'null' : Buffer.from(of).toString();
}

/** `offset:key=value` of each record of a set. */
export function shown(set: RecordSet): readonly string[] {
  return [...set].map(({ offset: at, key, value }) => `${at}:${text(key)}=${text(value)}`);
}

/** Offsets to commit, with empty metadata unless given. */
export function offsetsOf(...of: readonly (readonly [TopicPartition, number, string?])[]): OffsetsToCommit {
  return new Map(
    of.map(([at, next, metadata = '']) => [topicPartitionKey(at), { nextOffset: offset(next), metadata }]),
  );
}

/** One test's log, with short words for what tests do all the time. */
export class LogScene {
  readonly log: Log;
  private readonly target: LogConformanceTarget;
  private names = 0;

  constructor(log: Log, target: LogConformanceTarget) {
    this.log = log;
    this.target = target;
  }

  /** A name that nobody has used. */
  name(what: string): string {
    this.names += 1;
    return `conformance-${what}-${crypto.randomUUID().slice(0, 8)}-${this.names}`;
  }

  /** Creates a topic under a new name and answers its name. */
  async topic(partitions = 1, config: TopicConfig = {}): Promise<string> {
    const name = this.name('topic');
    // The records of these tests are years old: a broker would be right to delete them at any moment.
    await this.log.createTopic({ name, partitions, config: { 'retention.ms': '-1', ...config } });
    return name;
  }

  /** Partition 0 of a new topic with one partition. */
  async partition(config: TopicConfig = {}): Promise<TopicPartition> {
    return { topic: await this.topic(1, config), partition: 0 };
  }

  producer(
    transactionalId = this.name('producer'),
    transactionTimeoutMs = TRANSACTION_TIMEOUT_MS,
  ): Promise<TransactionalProducer> {
    return this.log.initProducer({ transactionalId, transactionTimeoutMs });
  }

  /** Sends records in a transaction of its own. */
  async commit(to: TopicPartition, set: RecordSet): Promise<void> {
    await this.transact(to, set, 'commit');
  }

  /** Sends records in a transaction of its own and aborts it. */
  async abort(to: TopicPartition, set: RecordSet): Promise<void> {
    await this.transact(to, set, 'abort');
  }

  private async transact(to: TopicPartition, set: RecordSet, end: 'commit' | 'abort'): Promise<void> {
    const producer = await this.producer();
    await producer.send(to, set);
    await producer[end]();
    await producer.close();
  }

  /** One fetch of one partition. */
  async fetch(
    at: TopicPartition & { readonly topicId?: string },
    fromOffset: number,
    options: { isolation?: IsolationLevel; maxWaitMs?: number; maxBytes?: number; signal?: AbortSignal } = {},
  ): Promise<FetchResult> {
    const results = await this.log.fetch([{ ...at, fromOffset: offset(fromOffset) }], {
      isolation: 'readCommitted',
      maxWaitMs: this.target.pollMs ?? 0,
      maxBytes: MAX_BYTES,
      ...options,
    });
    const [result] = results;
    if (result === undefined) throw new Error('a fetch of one partition answered nothing');
    return result;
  }

  /** Reads on by position until the end that the isolation allows; gives up when there is no more progress. */
  async read(at: TopicPartition, isolation: IsolationLevel = 'readCommitted', fromOffset = 0): Promise<Reading> {
    const found: string[] = [];
    let position = fromOffset;
    for (let fetches = 0; fetches < MAX_FETCHES; fetches += 1) {
      const result = await this.fetch(at, position, { isolation });
      appendAll(found, shown(result.records));
      const end = isolation === 'readCommitted' ? result.lastStableOffset : result.highWatermark;
      const stalled = result.nextOffset === position;
      position = result.nextOffset;
      if (position >= end) return { records: found, nextOffset: position };
      if (stalled && this.target.pollMs === undefined) break;
    }
    throw new Error(`no progress beyond ${position} of ${at.topic}-${at.partition}`);
  }

  async offset(at: TopicPartition, spec: OffsetSpec): Promise<Offset | undefined> {
    return (await this.log.listOffsets([at], spec)).get(topicPartitionKey(at));
  }

  /** The committed offset of one partition; null if there is none. */
  async committed(groupId: string, at: TopicPartition): Promise<number | null> {
    return (await this.log.committedOffsets(groupId, [at])).get(topicPartitionKey(at))?.nextOffset ?? null;
  }

  async advance(ms: number): Promise<void> {
    if (this.target.advanceMs !== undefined) return this.target.advanceMs(ms);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }

  async compact(topic: string): Promise<void> {
    await this.target.compact?.(this.log, topic);
  }
}

/** Makes the scene of each test. */
export class LogScenes {
  readonly target: LogConformanceTarget;

  constructor(target: LogConformanceTarget) {
    this.target = target;
  }

  /** A test's body: opens the log, plays, closes it. */
  play(body: (scene: LogScene) => Promise<void>): () => Promise<void> {
    return async () => {
      const log = await this.target.createLog();
      try {
        await body(new LogScene(log, this.target));
      } finally {
        await log.close();
      }
    };
  }
}
