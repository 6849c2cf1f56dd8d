import type { RecordMetadata } from '../processor/processor-context.js';
import type { DroppedRecord } from './task-output.js';

/** Counts records that did not go through, by reason, since the last seal. */
export class DroppedRecords {
  private byReason = new Map<DroppedRecord['reason'], DroppedRecord>();

  /** @param origin undefined: a punctuation made the record */
  add(reason: DroppedRecord['reason'], origin: RecordMetadata | undefined, message?: string): void {
    const count = (this.byReason.get(reason)?.count ?? 0) + 1;
    const last = { ...origin, ...(message === undefined ? {} : { message }) };
    this.byReason.set(reason, { reason, count, last });
  }

  /** What was counted; the next count starts from nothing. */
  take(): readonly DroppedRecord[] {
    if (this.byReason.size === 0) return [];
    const taken = [...this.byReason.values()];
    this.byReason = new Map();
    return taken;
  }
}
