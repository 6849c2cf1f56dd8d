/**
 * Records that wait for a task, and which is next: the one that Kafka's driver would take. Kafka: `PartitionGroup` and its
 * `java.util.PriorityQueue`.
 *
 * The input whose first record has the least timestamp is next. Of several with one timestamp it is the one that Java's heap has on
 * top, which depends on the order in which they came; a task by itself takes the first listed, which does not.
 */
import type { Offset } from '../../model/offset.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../model/topic-partition.js';
import type { FetchedRecords } from '../../task/stream-task.js';

/** What waits of one input; never empty in the heap. */
type Waiting = FetchedRecords[];

export class KafkaOrder {
  private readonly inputs = new Map<TopicPartitionKey, Waiting>();
  private readonly heap: Waiting[] = [];

  /** Adds what an input has gained; its records may have no gaps between them. */
  add(fetched: FetchedRecords): void {
    const { records } = fetched;
    const key = topicPartitionKey(fetched);
    const waiting = this.inputs.get(key) ?? [];
    this.inputs.set(key, waiting);
    const wasEmpty = waiting.length === 0;
    for (let index = 0; index < records.size; index += 1) {
      const nextOffset = ((records.offsets[index] as number) + 1) as Offset;
      // As far as the task can know there is nothing more: it must not wait for what it will be given.
      waiting.push({ ...fetched, records: records.slice(index, index + 1), nextOffset, endOffset: nextOffset });
    }
    if (wasEmpty && waiting.length > 0) this.offer(waiting);
  }

  /** Takes the next record away; undefined: there is none. */
  take(): FetchedRecords | undefined {
    const first = this.poll();
    const record = first?.shift();
    if (first !== undefined && first.length > 0) this.offer(first);
    return record;
  }

  private offer(waiting: Waiting): void {
    let at = this.heap.length;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      const parent = this.heap[above] as Waiting;
      if (timeOf(waiting) >= timeOf(parent)) break;
      this.heap[at] = parent;
      at = above;
    }
    this.heap[at] = waiting;
  }

  private poll(): Waiting | undefined {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return first;
    let at = 0;
    for (let child = this.lesserChild(at); child !== null; child = this.lesserChild(at)) {
      const below = this.heap[child] as Waiting;
      if (timeOf(last) <= timeOf(below)) break;
      this.heap[at] = below;
      at = child;
    }
    this.heap[at] = last;
    return first;
  }

  private lesserChild(at: number): number | null {
    const left = this.heap[2 * at + 1];
    if (left === undefined) return null;
    const right = this.heap[2 * at + 2];
    return right !== undefined && timeOf(left) > timeOf(right) ? 2 * at + 2 : 2 * at + 1;
  }
}

function timeOf(waiting: Waiting): number {
  return waiting[0]?.records.timestamps[0] ?? Number.POSITIVE_INFINITY;
}
