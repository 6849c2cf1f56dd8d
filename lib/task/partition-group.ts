import { InternalError } from '../model/errors.js';
import type { TopicPartitionKey } from '../model/topic-partition.js';
import { Waiting } from '../serde/lookups.js';
import type { RecordQueue } from './record-queue.js';
import type { FetchedRecords } from './stream-task.js';

/**
 * The inputs of a task, and which is next: the one whose head has the least timestamp (the first listed of several, so that
 * a task that is made anew chooses as the one before it; Kafka Streams takes what came first).
 * Kafka: `PartitionGroup`; waiting for empty inputs: KIP-353, KIP-695.
 *
 * An input that is empty holds the others back while the log is not known to have nothing more of it, and from then on for
 * `maxTaskIdleMs`. "Known" is what the last fetch of the input said: an input must be reported even if nothing came. With a
 * `maxTaskIdleMs` of −1 nothing is waited for: whatever has come is taken in the order of time.
 */
export class PartitionGroup {
  readonly queues: readonly RecordQueue[];
  private readonly byKey: ReadonlyMap<string, RecordQueue>;
  /** Those whose serdes look things up. */
  private readonly asking: readonly RecordQueue[];
  private readonly maxTaskIdleMs: number;

  constructor(queues: readonly RecordQueue[], maxTaskIdleMs: number) {
    this.queues = queues;
    this.byKey = new Map(queues.map((queue) => [queue.key, queue]));
    this.asking = queues.filter((queue) => queue.asks);
    this.maxTaskIdleMs = maxTaskIdleMs;
  }

  queue(key: TopicPartitionKey): RecordQueue {
    const queue = this.byKey.get(key);
    if (queue === undefined) throw new InternalError(`${key} is no input of the task`, { details: { input: key } });
    return queue;
  }

  add(key: TopicPartitionKey, fetched: FetchedRecords): void {
    this.queue(key).add(fetched);
  }

  /** Looks up what serdes need to read the records that were added, before one is chosen; undefined: nothing. */
  lookUp(): Promise<void> | undefined {
    if (this.asking.length === 0) return undefined;
    const waiting = new Waiting();
    for (const queue of this.asking) waiting.add(queue.lookUp());
    return waiting.all();
  }

  /** The input to take the next record from; null if there is none, or if an empty input is worth waiting for. */
  choose(nowMs: number): RecordQueue | null {
    let chosen: RecordQueue | null = null;
    let least = Number.POSITIVE_INFINITY;
    let mustWait = false;
    for (const queue of this.queues) {
      const timestampMs = queue.peekTimestampMs();
      if (timestampMs === null) {
        if (this.isWorthWaiting(queue, nowMs)) mustWait = true;
        continue;
      }
      queue.idleSinceMs = null;
      if (timestampMs >= least) continue;
      least = timestampMs;
      chosen = queue;
    }
    return mustWait ? null : chosen;
  }

  private isWorthWaiting(queue: RecordQueue, nowMs: number): boolean {
    if (this.maxTaskIdleMs < 0) return false;
    if (queue.mayHaveMore) {
      queue.idleSinceMs = null;
      return true;
    }
    queue.idleSinceMs ??= nowMs;
    return nowMs < queue.idleSinceMs + this.maxTaskIdleMs;
  }
}
