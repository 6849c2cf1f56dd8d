import { type Awaitable, isPromise } from '../model/awaitable.js';
import type { Encoded } from '../model/byte-key.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { HeldRecord } from '../processor/engine-context.js';
import type { RecordMetadata } from '../processor/processor-context.js';
import type { StreamRecord } from '../processor/stream-record.js';
import type { FailedSource } from '../topology/failure-handlers.js';
import type { SourceNode } from '../topology/node.js';
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
  /** That record as it was read, and who read it. */
  record: StreamRecord<unknown, unknown> | null = null;
  source: SourceNode | null = null;
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

  /** Counts a record that was not, or not wholly, processed; one that a punctuation made is no input and counts for none. */
  recordDropped(reason: DroppedRecord['reason']): void {
    const origin = this.metadata;
    if (origin !== undefined) this.dropped.add(reason, origin);
  }

  /** The record being processed, in bytes; null in a punctuation. */
  sourceRecord(): FailedSource | null {
    const { record, source, metadata } = this;
    if (record === null || source === null || metadata === undefined) return null;
    const { timestampMs, headers } = record;
    const key = bytesOf(record.keyCell.encoded(source.keySerde));
    const value = bytesOf(record.valueCell.encoded(source.valueSerde));
    return { ...metadata, timestampMs, headers, key, value };
  }

  /**
   * Takes a record from elsewhere for the one being processed: one that was held back, of which the bytes as read are gone.
   *
   * @returns what ends it
   */
  lookFrom(origin: RecordMetadata | null): () => void {
    const { origin: before, offset, record } = this;
    this.origin = origin;
    this.offset = origin?.offset ?? 0;
    this.record = null;
    return () => {
      this.origin = before;
      this.offset = offset;
      this.record = record;
    };
  }

  /** Takes hold of the record being processed. */
  holdRecord(): HeldRecord {
    const { origin, offset, record, source } = this;
    return {
      resume: (call) => {
        const back = this.standAt({ origin, offset, record, source });
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

  private standAt(at: Pick<TaskScope, 'origin' | 'offset' | 'record' | 'source'>): () => void {
    const { origin, offset, record, source } = this;
    const lateAt = [...this.lateAt];
    Object.assign(this, at);
    this.lateAt.clear();
    return () => {
      Object.assign(this, { origin, offset, record, source });
      this.lateAt.clear();
      for (const node of lateAt) this.lateAt.add(node);
    };
  }

  /** Begins the next record. */
  begin(source: SourceNode, record: StreamRecord<unknown, unknown>): void {
    this.source = source;
    this.record = record;
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

function bytesOf(encoded: Encoded | null): Uint8Array | null {
  return typeof encoded === 'string' ? Buffer.from(encoded, 'latin1') : encoded;
}
