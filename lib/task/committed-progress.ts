/**
 * How far the windowed stores of a task have come, as names and numbers of its processor metadata.
 *
 * It is committed with the offsets, in the transaction that makes the writes true, because the stores' entries do not tell it: the
 * newest window may have been deleted, compacted away or let go.
 */
import { TopologyError } from '../model/errors.js';
import { NO_PROGRESS, type StoreProgress } from '../state/store-progress.js';
import { encodeCommitMetadata } from './commit-metadata.js';
import { encodeProcessorMetadata, mergeProcessorMetadata, type ProcessorMetadata } from './processor-metadata.js';

/** Kafka's default of `offset.metadata.max.bytes`. */
const METADATA_MAX_BYTES = 4_096;
const FURTHEST: StoreProgress = { streamTimeMs: Number.MAX_SAFE_INTEGER, sequence: Number.MAX_SAFE_INTEGER };

const timeName = (store: string) => `millrace.time.${store}`;
const sequenceName = (store: string) => `millrace.sequence.${store}`;

/** The entries of stores that have progress. */
export function progressMetadata(stores: ReadonlyMap<string, StoreProgress>): ProcessorMetadata {
  const metadata = new Map<string, bigint>();
  for (const [store, { streamTimeMs, sequence }] of stores) {
    if (streamTimeMs >= 0) metadata.set(timeName(store), BigInt(streamTimeMs));
    if (sequence > 0) metadata.set(sequenceName(store), BigInt(sequence));
  }
  return metadata;
}

export function progressOf(store: string, metadata: ProcessorMetadata): StoreProgress {
  const streamTimeMs = metadata.get(timeName(store));
  const sequence = metadata.get(sequenceName(store));
  return {
    streamTimeMs: streamTimeMs === undefined ? NO_PROGRESS.streamTimeMs : Number(streamTimeMs),
    sequence: sequence === undefined ? NO_PROGRESS.sequence : Number(sequence),
  };
}

/**
 * Holds what a task may have to commit to what a broker takes.
 *
 * @param times names of what its operators commit
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if the stores are too many, or their names too long
 */
export function expectProgressFits(taskId: string, stores: readonly string[], times: readonly string[]): void {
  const metadata = mergeProcessorMetadata([
    progressMetadata(new Map(stores.map((store) => [store, FURTHEST]))),
    new Map(times.map((name) => [name, BigInt(FURTHEST.streamTimeMs)])),
  ]);
  const text = encodeCommitMetadata({ partitionTimeMs: 0, processorMetadata: encodeProcessorMetadata(metadata) });
  if (text.length <= METADATA_MAX_BYTES) return;
  throw new TopologyError(`task ${taskId} has ${stores.length} windowed stores: their times do not fit a commit`, {
    details: { taskId, stores, sizeBytes: text.length, maxBytes: METADATA_MAX_BYTES },
    remedy: 'Give the stores shorter names, or split the sub-topology with a repartition.',
  });
}
