import type { TopicIds } from '../leases/records.js';
import type { FetchRequest, FetchResult, LogReader } from '../log/log.js';
import { LostOffsetsError, OffsetOutOfRangeError } from '../model/errors.js';
import { lagBetween, type Offset } from '../model/offset.js';
import type { RecordSet } from '../model/record-set.js';
import type { Settings } from '../model/settings.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { StreamTask } from '../task/stream-task.js';

export interface InputsToRead {
  readonly inputs: readonly TopicPartition[];
  /** Which life of each topic the positions are of (I4 of topic-ids.ts). */
  readonly topicIds: TopicIds;
  readonly positions: ReadonlyMap<TopicPartitionKey, Offset>;
}

/** Reads a task's inputs, from the committed offsets on; the fetch positions of one session. */
export class InputReader {
  private readonly log: LogReader;
  private readonly settings: Settings;
  private readonly inputs: readonly {
    readonly at: Omit<FetchRequest, 'fromOffset'>;
    readonly key: TopicPartitionKey;
  }[];
  private readonly positions: Map<TopicPartitionKey, Offset>;
  private readonly startedAt: ReadonlyMap<TopicPartitionKey, Offset>;
  /** Last stable offsets, as last answered. */
  private readonly ends = new Map<TopicPartitionKey, Offset>();
  private bytesRead = 0;

  constructor(log: LogReader, settings: Settings, { inputs, topicIds, positions }: InputsToRead) {
    this.log = log;
    this.settings = settings;
    this.inputs = inputs.map(({ topic, partition }) => {
      const topicId = topicIds[topic];
      const at = { topic, partition, ...(topicId === undefined ? {} : { topicId }) };
      return { at, key: topicPartitionKey(at) };
    });
    this.positions = new Map(positions);
    this.startedAt = positions;
  }

  /**
   * One fetch of the inputs whose queue has room; what comes goes into the task.
   *
   * @returns whether any input moved; null if no queue has room, so that nothing was asked
   * @throws {LostOffsetsError} STREAMS_LOST_OFFSETS if the log no longer has what comes next: to go on elsewhere by itself
   *   would mix state of one offset with input of another (traps 24) · {TopicRecreatedError} STREAMS_TOPIC_RECREATED ·
   *   {AbortedError} STREAMS_ABORTED
   */
  async fetchInto(task: StreamTask, maxWaitMs: number, signal: AbortSignal): Promise<boolean | null> {
    const requests = this.requests(task);
    if (requests.length === 0) return null;
    const results = await this.fetch(requests, maxWaitMs, signal);
    let moved = false;
    for (const result of results) moved = this.take(task, result) || moved;
    for (const { fromOffset, ...at } of requests) {
      const key = topicPartitionKey(at);
      if (!this.ends.has(key)) this.ends.set(key, fromOffset); // left out of the answer: there is nothing beyond
    }
    return moved;
  }

  /** Records beyond what is committed; null while an input has not been asked for. Where nothing is committed yet: beyond the start. */
  lagBehind(committed: ReadonlyMap<TopicPartitionKey, { readonly nextOffset: Offset }>): number | null {
    let lag = 0;
    for (const { key } of this.inputs) {
      const end = this.ends.get(key);
      const from = committed.get(key)?.nextOffset ?? this.startedAt.get(key);
      if (end === undefined || from === undefined) return null;
      lag += lagBetween(from, end);
    }
    return lag;
  }

  /** Bytes of keys and values read since the last call. */
  takeBytesRead(): number {
    const bytes = this.bytesRead;
    this.bytesRead = 0;
    return bytes;
  }

  private async fetch(requests: readonly FetchRequest[], maxWaitMs: number, signal: AbortSignal) {
    const { fetchMaxBytes } = this.settings;
    try {
      return await this.log.fetch(requests, { isolation: 'readCommitted', maxWaitMs, maxBytes: fetchMaxBytes, signal });
    } catch (cause) {
      if (!(cause instanceof OffsetOutOfRangeError)) throw cause;
      throw new LostOffsetsError(`the log no longer has the next input: ${cause.message}`, {
        cause,
        details: cause.details,
      });
    }
  }

  private requests(task: StreamTask): readonly FetchRequest[] {
    const requests: FetchRequest[] = [];
    for (const { at, key } of this.inputs) {
      const fromOffset = this.positions.get(key);
      if (fromOffset !== undefined && task.wants(key)) requests.push({ ...at, fromOffset });
    }
    return requests;
  }

  private take(task: StreamTask, result: FetchResult): boolean {
    const { topic, partition, records, nextOffset, lastStableOffset } = result;
    const key = topicPartitionKey(result);
    this.ends.set(key, lastStableOffset);
    this.bytesRead += spanOf(records);
    const moved = nextOffset > (this.positions.get(key) ?? 0);
    this.positions.set(key, nextOffset);
    task.addRecords({ topic, partition, records, nextOffset, endOffset: lastStableOffset });
    return moved;
  }
}

/** Bytes from the first key or value to the last one: what the records take, but for gaps between them. */
function spanOf({ size, keyStarts, valueStarts, keyEnds, valueEnds }: RecordSet): number {
  if (size === 0) return 0;
  const first = (keyStarts[0] ?? -1) >= 0 ? keyStarts[0] : valueStarts[0];
  const end = Math.max(keyEnds[size - 1] ?? 0, valueEnds[size - 1] ?? 0);
  return Math.max(0, end - Math.max(0, first ?? 0));
}
