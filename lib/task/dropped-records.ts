import type { Offset } from '../model/offset.js';
import type { DroppedRecord } from './task-output.js';

/** Where a dropped record came from. */
export interface DropOrigin {
  readonly topic: string;
  readonly partition: number;
  readonly offset: Offset;
}

/** Counts records that did not go through, by reason, since the last seal. */
export class DroppedRecords {
  private byReason = new Map<DroppedRecord['reason'], DroppedRecord>();

  add(reason: DroppedRecord['reason'], { topic, partition, offset }: DropOrigin, message?: string): void {
    const count = (this.byReason.get(reason)?.count ?? 0) + 1;
    const last = { topic, partition, offset, ...(message === undefined ? {} : { message }) };
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
