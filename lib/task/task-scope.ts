import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { RecordMetadata } from '../processor/processor-context.js';
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
  readonly dropped = new DroppedRecords();
  /** Whether anything was processed, written or dropped since the last seal. */
  dirty = false;

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

  /** Ids for the details of an error. */
  whereabouts(): Readonly<Record<string, unknown>> {
    return { taskId: this.taskId, ...this.metadata };
  }
}
