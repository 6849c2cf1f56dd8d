/** All that a log knows as events: a journal that holds them and nothing else opens to the same log. */
import { type Batch, makeBatch, NO_COLUMNS } from '../batch.js';
import type { LogEvent, LogState } from '../log-state.js';
import type { PartitionLog } from '../partition-log.js';

/** A journal file is left to grow to this size, in bytes, before it is worth writing a new one. */
const MIN_CHECKPOINT_BYTES = 64 * 1024 * 1024;
/** And then until it is this many times as large as what it says, and as the file before it was at its beginning. */
const GROWTH_BEFORE_CHECKPOINT = 2;
/** What a record takes in a journal beyond what `Batch.sizeBytes` counts: timestamp and ranges, 24 bytes instead of 10. */
const RECORD_EXTRA_BYTES = 14;

/** The state as events, in an order that can be replayed. */
export function* checkpointEvents(state: LogState): Generator<LogEvent> {
  const transactionalIds = new Map<number, string>();
  for (const { transactionalId, producerId, epoch, timeoutMs } of state.transactions.all()) {
    transactionalIds.set(producerId, transactionalId);
    yield { type: 'producerInitialised', transactionalId, producerId, epoch, timeoutMs };
  }
  for (const { description, partitions } of state.topics.all()) {
    const { topicId, ...spec } = description;
    yield { type: 'topicCreated', spec, topicId };
    for (const partition of partitions) yield* partitionEvents(partition, transactionalIds);
  }
  for (const { groupId, key, nextOffset, metadata, committedAtMs: atMs, producerId } of state.groupOffsets.all()) {
    const transactionalId = producerId === null ? null : (transactionalIds.get(producerId) ?? null);
    yield { type: 'offsetsCommitted', groupId, offsets: [[key, { nextOffset, metadata }]], transactionalId, atMs };
  }
}

function* partitionEvents(partition: PartitionLog, transactionalIds: ReadonlyMap<number, string>): Generator<LogEvent> {
  const { topic, partition: number } = partition;
  const owners = new Map<Batch, string>();
  for (const [producerId, { batches }] of partition.openTransactions())
    for (const batch of batches) owners.set(batch, transactionalIds.get(producerId) ?? '');
  // Open batches below the start of the log are in no segment, but their transaction still gets its marker here.
  const batches = new Set([...owners.keys(), ...partition.segments.flatMap((segment) => segment.batches)]);
  const inOrder = [...batches].sort((a, b) => a.baseOffset - b.baseOffset);
  for (const batch of inOrder)
    yield { type: 'batchStored', topic, partition: number, transactionalId: owners.get(batch) ?? null, batch };
  const baseOffset = inOrder.at(-1)?.nextOffset ?? 0;
  if (baseOffset < partition.endOffset) {
    const at = { baseOffset, nextOffset: partition.endOffset, state: 'marker', appendedAtMs: 0 } as const;
    yield { type: 'batchStored', topic, partition: number, transactionalId: null, batch: makeBatch(NO_COLUMNS, at) };
  }
  yield { type: 'logStartMoved', topic, partition: number, offset: partition.logStartOffset };
}

/** Decides when a journal file has become so much larger than what it says that a new one is worth its writing. */
export class CheckpointPolicy {
  private nextLookBytes = MIN_CHECKPOINT_BYTES;

  isDue(fileBytes: number, state: LogState): boolean {
    if (fileBytes < this.nextLookBytes) return false;
    const isDue = fileBytes > GROWTH_BEFORE_CHECKPOINT * liveBytes(state);
    if (!isDue) this.nextLookBytes = fileBytes + MIN_CHECKPOINT_BYTES;
    return isDue;
  }

  /** A checkpoint was written, as a file of this size. */
  written(fileBytes: number): void {
    this.nextLookBytes = Math.max(MIN_CHECKPOINT_BYTES, GROWTH_BEFORE_CHECKPOINT * fileBytes);
  }
}

function liveBytes(state: LogState): number {
  let bytes = 0;
  for (const { partitions } of state.topics.all())
    for (const { segments } of partitions)
      for (const { batches } of segments)
        for (const { sizeBytes, columns } of batches) bytes += sizeBytes + columns.size * RECORD_EXTRA_BYTES;
  return bytes;
}
