/**
 * Puts small neighbouring batches together, once they are decided, so that a stream of single records costs neither an
 * object a record in memory nor a walk over hundreds of batches in a fetch. Each record is copied at most once by it.
 *
 * Markers between them are absorbed: the batch made covers their offsets. Aborted batches stay as they are, for
 * readers at `readUncommitted`.
 */
import { type Batch, makeBatch } from './batch.js';
import { concatenate } from './columns.js';
import type { Segment } from './segment.js';

/** A batch below this size is small. */
const SMALL_BATCH_BYTES = 16 * 1024;
/** A batch that was put together does not grow beyond this. */
const TARGET_BATCH_BYTES = 64 * 1024;

/** Puts runs of small decided batches of the segment together. */
export function coalesce(segment: Segment): void {
  const { batches } = segment;
  const result: Batch[] = [];
  let run: Batch[] = [];
  let runBytes = 0;
  const endRun = (): void => {
    if (run.length > 0) result.push(run.length === 1 ? (run[0] as Batch) : together(run));
    run = [];
    runBytes = 0;
  };
  for (const batch of batches) {
    if (!mayJoin(batch)) {
      endRun();
      result.push(batch);
      continue;
    }
    if (runBytes + batch.sizeBytes > TARGET_BATCH_BYTES) endRun();
    run.push(batch);
    runBytes += batch.sizeBytes;
  }
  endRun();
  if (result.length < batches.length) segment.replace(0, batches.length, result);
}

/** A batch with a delete horizon keeps it to itself: another's would move it. */
function mayJoin(batch: Batch): boolean {
  if (batch.deleteHorizonMs !== null) return false;
  return batch.state === 'marker' || (batch.state === 'committed' && batch.sizeBytes < SMALL_BATCH_BYTES);
}

function together(run: readonly Batch[]): Batch {
  const first = run[0] as Batch;
  const last = run[run.length - 1] as Batch;
  const columns = concatenate(run.map((batch) => ({ batch, from: 0, to: batch.columns.size })));
  const state = columns.size === 0 ? 'marker' : 'committed';
  return makeBatch(columns, {
    baseOffset: first.baseOffset,
    nextOffset: last.nextOffset,
    state,
    appendedAtMs: last.appendedAtMs,
  });
}
