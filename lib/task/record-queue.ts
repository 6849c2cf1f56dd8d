import { InternalError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { RecordSet } from '../model/record-set.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { StreamRecord } from '../processor/stream-record.js';
import { Waiting } from '../serde/lookups.js';
import type { SourceNode } from '../topology/node.js';
import { type CommitMetadata, encodeCommitMetadata } from './commit-metadata.js';
import type { RecordGate } from './deserialization.js';
import type { FetchedRecords } from './stream-task.js';

export interface QueueCommit {
  readonly nextOffset: Offset;
  readonly metadata: string;
}

/**
 * The fetched records of one input that wait to be processed. Kafka: `RecordQueue`.
 *
 * Waiting records stay columns of their sets; only the head is an object, made when the task first looks at it.
 *
 * Invariants
 *   Q1  the head, if made, is record `next` of the first set, and was admitted
 *   Q2  the offset to commit is that of the first record neither processed nor dropped, else the position after all that was
 *       fetched (beyond control batches)
 */
export class RecordQueue {
  readonly input: TopicPartition;
  readonly key: TopicPartitionKey;
  /** Since when the input is known to have nothing more; null while it has, or while that is unknown. */
  idleSinceMs: number | null = null;
  private readonly gate: RecordGate;
  private readonly sets: RecordSet[] = [];
  /** Sets of which the serdes have not looked up what they need; always empty where they need nothing. */
  private readonly notLookedUp: RecordSet[] = [];
  private next = 0;
  private buffered = 0;
  private head: StreamRecord<unknown, unknown> | null = null;
  private timeMs: number;
  private position: Offset | null = null;
  private endOffset: Offset | null = null;
  private sealedOffset: Offset | null;

  constructor(input: TopicPartition, gate: RecordGate, committed: CommitMetadata, committedOffset: Offset | null) {
    this.input = input;
    this.key = topicPartitionKey(input);
    this.gate = gate;
    this.timeMs = committed.partitionTimeMs;
    this.sealedOffset = committedOffset;
  }

  /** Who reads the input. */
  get source(): SourceNode {
    return this.gate.source;
  }

  /** Whether {@link lookUp} has to be called before records are looked at. */
  get asks(): boolean {
    return this.gate.asks;
  }

  /** Looks up what serdes need to read the records that were added; undefined: nothing. */
  lookUp(): Promise<void> | undefined {
    const waiting = new Waiting();
    for (const set of this.notLookedUp.splice(0)) waiting.add(this.gate.lookUp(set));
    return waiting.all();
  }

  /** Records waiting, readable or not. */
  get size(): number {
    return this.buffered;
  }

  /** Greatest timestamp taken from this input; −1 at first. */
  get partitionTimeMs(): number {
    return this.timeMs;
  }

  /** Whether the log has, or may have, records that were not fetched yet. */
  get mayHaveMore(): boolean {
    return this.endOffset === null || this.position === null || this.position < this.endOffset;
  }

  add(fetched: FetchedRecords): void {
    const { records, nextOffset, endOffset } = fetched;
    if (this.position !== null && nextOffset < this.position) {
      throw new InternalError(`${this.key}: fetched back to ${nextOffset} from ${this.position}`, {
        details: { input: this.key, nextOffset, position: this.position },
      });
    }
    if (records.size > 0) this.sets.push(records);
    if (this.asks) this.notLookedUp.push(records);
    this.buffered += records.size;
    this.position = nextOffset;
    this.endOffset = endOffset;
  }

  /** The head's timestamp; null if there is no record. Drops records that are not admitted on the way. */
  peekTimestampMs(): number | null {
    while (this.head === null && this.buffered > 0) {
      this.head = this.gate.admit(this.sets[0] as RecordSet, this.next, this.timeMs);
      if (this.head === null) this.advance();
    }
    return this.head === null ? null : this.head.timestampMs;
  }

  /** Offset of the head. */
  headOffset(): Offset {
    return this.sets[0]?.offsets[this.next] as Offset;
  }

  /** The set in which the head was fetched. */
  headSet(): RecordSet {
    return this.sets[0] ?? RecordSet.EMPTY;
  }

  /** Place of the head in {@link headSet}. */
  get headIndex(): number {
    return this.next;
  }

  /** Takes the head that `peekTimestampMs` has shown. */
  take(): StreamRecord<unknown, unknown> {
    const { head } = this;
    if (head === null) throw new InternalError(`${this.key}: taken from an empty queue`);
    if (head.timestampMs > this.timeMs) this.timeMs = head.timestampMs;
    this.head = null;
    this.advance();
    return head;
  }

  /** Whether the offset to commit has moved since the last seal. */
  get hasMoved(): boolean {
    const at = this.offsetToCommit();
    return at !== null && at !== this.sealedOffset;
  }

  /** The offset to commit with its metadata, if it has moved since the last seal. */
  seal(processorMetadata: Uint8Array): QueueCommit | null {
    return this.hasMoved ? this.sealAnyway(processorMetadata) : null;
  }

  /** The offset to commit with its metadata; null if none is known. */
  sealAnyway(processorMetadata: Uint8Array): QueueCommit | null {
    const nextOffset = this.offsetToCommit() ?? this.sealedOffset;
    if (nextOffset === null) return null;
    this.sealedOffset = nextOffset;
    return { nextOffset, metadata: encodeCommitMetadata({ partitionTimeMs: this.timeMs, processorMetadata }) };
  }

  private offsetToCommit(): Offset | null {
    return this.buffered > 0 ? this.headOffset() : this.position;
  }

  private advance(): void {
    this.next += 1;
    this.buffered -= 1;
    if (this.next < (this.sets[0]?.size ?? 0)) return;
    this.sets.shift();
    this.next = 0;
  }
}
