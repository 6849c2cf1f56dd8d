import { type Awaitable, isPromise } from '../model/awaitable.js';
import type { Offset } from '../model/offset.js';
import { type Headers, NO_HEADERS, type RecordSet } from '../model/record-set.js';
import type { TaskId } from '../model/task-id.js';
import type { HeldRecord } from '../processor/engine-context.js';
import type { RecordMetadata } from '../processor/processor-context.js';
import type { StreamRecord } from '../processor/stream-record.js';
import type { FailedSource } from '../topology/failure-handlers.js';
import { DroppedRecords } from './dropped-records.js';
import type { DroppedRecord } from './task-output.js';

/** What all parts of one task know in common: its clocks, and which record is being processed. */
export class TaskScope {
  readonly applicationId: string;
  readonly taskId: TaskId;
  /** Greatest timestamp of a record processed so far; −1 before the first. */
  streamTimeMs = -1;
  /** The wall clock as the task was last told it. */
  wallClockMs: number;
  /** Input of the record being processed; null in a punctuation, a flush, at start and end. */
  origin: { readonly topic: string; readonly partition: number } | null = null;
  offset = 0;
  /** That record's own bytes, as fetched; null for one that was held back, of which they are gone. */
  private fetched: RecordSet | null = null;
  private index = 0;
  private recordTimestampMs = 0;
  /** Of one that was held back. */
  private heldHeaders: Headers = NO_HEADERS;
  /** The time of the punctuation that was called last. */
  punctuationMs = 0;
  /** Nodes for which it came too late. */
  private readonly lateAt = new Set<string>();
  readonly dropped = new DroppedRecords();
  /** Whether anything was processed, written or dropped since the last seal. */
  dirty = false;
  /** Calls of nodes, and what the task itself does to its stores, that have begun and not ended; 0: nothing may be written. */
  callsRunning = 0;

  constructor(applicationId: string, taskId: TaskId, wallClockMs: number) {
    this.applicationId = applicationId;
    this.taskId = taskId;
    this.wallClockMs = wallClockMs;
  }

  get metadata(): RecordMetadata | undefined {
    if (this.origin === null) return undefined;
    return { topic: this.origin.topic, partition: this.origin.partition, offset: this.offset as Offset };
  }

  /** Counts a record that was not, or not wholly, processed; of one that a punctuation made nobody can say where it came from. */
  recordDropped(reason: DroppedRecord['reason']): void {
    this.dropped.add(reason, this.metadata);
  }

  /** The record being processed, its bytes as they were read; null in a punctuation. Copies: whoever is given them may do as they like. */
  sourceRecord(): FailedSource | null {
    const { fetched, index, metadata, recordTimestampMs: timestampMs } = this;
    if (metadata === undefined) return null;
    if (fetched === null)
      return { ...metadata, timestampMs, headers: this.heldHeaders, key: null, value: null, isHeldBack: true };
    const [key, value] = [copyOf(fetched.key(index)), copyOf(fetched.value(index))];
    return { ...metadata, timestampMs, headers: fetched.headersOf(index), key, value, isHeldBack: false };
  }

  /**
   * Takes a record from elsewhere for the one being processed: one that was held back, of which the bytes as read are gone, unless it is
   * that very one.
   *
   * @returns what ends it
   */
  lookFrom(origin: RecordMetadata | null, { timestampMs, headers }: StreamRecord<unknown, unknown>): () => void {
    if (origin !== null && this.isAt(origin)) return NOTHING_TO_END;
    return this.standAt({
      origin,
      offset: origin?.offset ?? 0,
      fetched: null,
      index: 0,
      recordTimestampMs: timestampMs,
      heldHeaders: headers,
    });
  }

  private isAt({ topic, partition, offset }: RecordMetadata): boolean {
    return this.origin?.topic === topic && this.origin.partition === partition && this.offset === offset;
  }

  /** Takes hold of the record being processed. */
  holdRecord(): HeldRecord {
    const place = this.place();
    return {
      resume: (call) => {
        const back = this.standAt(place);
        let result: Awaitable<void>;
        try {
          result = call();
        } catch (thrown) {
          back();
          throw thrown;
        }
        if (isPromise(result)) return result.finally(back);
        return back();
      },
    };
  }

  private place(): Place {
    const { origin, offset, fetched, index, recordTimestampMs, heldHeaders } = this;
    return { origin, offset, fetched, index, recordTimestampMs, heldHeaders };
  }

  private standAt(at: Place): () => void {
    const before = this.place();
    const lateAt = [...this.lateAt];
    Object.assign(this, at);
    this.lateAt.clear();
    return () => {
      Object.assign(this, before);
      this.lateAt.clear();
      for (const node of lateAt) this.lateAt.add(node);
    };
  }

  /** Begins the next record: that one of a fetched set, with the time that counts for it. */
  begin(fetched: RecordSet, index: number, timestampMs: number): void {
    this.fetched = fetched;
    this.index = index;
    this.recordTimestampMs = timestampMs;
    if (this.lateAt.size > 0) this.lateAt.clear();
  }

  /** Whether nobody has said of this record that it came too late for the node. */
  isFirstLate(node: string): boolean {
    if (this.lateAt.has(node)) return false;
    this.lateAt.add(node);
    return true;
  }

  /** Ids for the details of an error. */
  whereabouts(): Readonly<Record<string, unknown>> {
    return { taskId: this.taskId, ...this.metadata };
  }
}

/** Which record is looked at. */
interface Place {
  readonly origin: TaskScope['origin'];
  readonly offset: number;
  readonly fetched: RecordSet | null;
  readonly index: number;
  readonly recordTimestampMs: number;
  readonly heldHeaders: Headers;
}

function NOTHING_TO_END(): void {}

function copyOf(bytes: Uint8Array | null): Uint8Array | null {
  return bytes === null ? null : Buffer.from(bytes);
}
