/** When retention and compaction run: in small portions, on the back of the calls that the log gets anyway. */
import { compact, dirtyRatio } from './compaction.js';
import type { PartitionLog } from './partition-log.js';

/** Records a compaction looks at for each record appended: it ends long before the log has doubled. */
const COMPACTED_PER_APPENDED = 8;
/** And at least so many for each append. */
const MIN_COMPACTED_PER_APPEND = 256;

interface Watched {
  segmentsSeen: number;
  run: Generator<number> | null;
}

export class Maintenance {
  private readonly watched = new WeakMap<PartitionLog, Watched>();
  private readonly retentionCheckIntervalMs: number;
  private nextRetentionCheckMs: number;

  constructor(retentionCheckIntervalMs: number, nowMs: number) {
    this.retentionCheckIntervalMs = retentionCheckIntervalMs;
    this.nextRetentionCheckMs = nowMs + retentionCheckIntervalMs;
  }

  /** Whether it is time to look at retention again. */
  isRetentionDue(nowMs: number): boolean {
    if (nowMs < this.nextRetentionCheckMs) return false;
    this.nextRetentionCheckMs = nowMs + this.retentionCheckIntervalMs;
    return true;
  }

  /** Goes on with a compaction after an append, or begins one when enough is dirty. */
  afterAppend(partition: PartitionLog, appendedRecords: number, nowMs: number): void {
    if (!partition.settings.compact) return;
    const watched = this.watch(partition);
    if (watched.run === null && watched.segmentsSeen !== partition.segments.length) {
      watched.segmentsSeen = partition.segments.length;
      if (dirtyRatio(partition, nowMs) > partition.settings.minCleanableDirtyRatio)
        watched.run = compact(partition, nowMs);
    }
    if (watched.run !== null)
      this.goOn(watched, Math.max(appendedRecords * COMPACTED_PER_APPENDED, MIN_COMPACTED_PER_APPEND));
    if (watched.run === null) watched.segmentsSeen = partition.segments.length;
  }

  /** Compacts all that is decided, now and to the end; what was the active segment is closed for it. */
  compactNow(partition: PartitionLog, nowMs: number): void {
    const watched = this.watch(partition);
    if (watched.run !== null) this.goOn(watched, Number.POSITIVE_INFINITY);
    partition.roll(nowMs);
    watched.run = compact(partition, nowMs);
    this.goOn(watched, Number.POSITIVE_INFINITY);
    watched.segmentsSeen = partition.segments.length;
  }

  private goOn(watched: Watched, budget: number): void {
    let left = budget;
    while (watched.run !== null && left > 0) {
      const step = watched.run.next();
      if (step.done === true) watched.run = null;
      else left -= Math.max(1, step.value);
    }
  }

  private watch(partition: PartitionLog): Watched {
    let watched = this.watched.get(partition);
    if (watched === undefined) {
      watched = { segmentsSeen: 0, run: null };
      this.watched.set(partition, watched);
    }
    return watched;
  }
}
