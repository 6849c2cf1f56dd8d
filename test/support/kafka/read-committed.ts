import type { LogReader } from '../../../lib/log/log.js';
import { type Offset, offset } from '../../../lib/model/offset.js';
import type { RecordSet } from '../../../lib/model/record-set.js';
import type { TopicPartition } from '../../../lib/model/topic-partition.js';
import { RecordDigest } from './record-digest.js';

/** Answers without any progress, of up to `maxWaitMs` each, before a read is said to hang. */
const maxIdleFetches = 60;
const maxWaitMs = 500;

export interface ReadOptions {
  /** Where to stop (exclusive), reached by position, over what is no record; a function where the end is not known yet. */
  readonly endOffset: number | (() => number);
  /** Bytes a fetch. */
  readonly maxBytes: number;
  /** Sees what was fetched, which may go beyond the end. */
  readonly onRecords?: (records: RecordSet) => void;
}

/** What our reader read, to compare with `JavaTruth`. */
export interface ReadResult {
  readonly records: number;
  readonly sha: string;
}

/** Reads a partition from its start, read committed. @throws {Error} if it stands still or goes backwards */
export async function readCommitted(log: LogReader, at: TopicPartition, options: ReadOptions): Promise<ReadResult> {
  const { endOffset, maxBytes, onRecords } = options;
  const end = () => (typeof endOffset === 'number' ? endOffset : endOffset());
  const digest = new RecordDigest();
  let fromOffset: Offset = offset(0);
  let lastOffset = -1;
  let idle = 0;
  while (fromOffset < end()) {
    const [result] = await log.fetch([{ ...at, fromOffset }], { isolation: 'readCommitted', maxWaitMs, maxBytes });
    if (result === undefined || result.nextOffset === fromOffset) {
      idle += 1;
      if (idle === maxIdleFetches) throw new Error(`${at.topic} stands at ${fromOffset} of ${end()}`);
      continue;
    }
    for (const recordOffset of result.records.offsets.subarray(0, result.records.size)) {
      if (recordOffset <= lastOffset) throw new Error(`${at.topic}: ${recordOffset} comes after ${lastOffset}`);
      lastOffset = recordOffset;
    }
    digest.add(result.records, end());
    onRecords?.(result.records);
    fromOffset = result.nextOffset;
    idle = 0;
  }
  return { records: digest.records, sha: digest.sha() };
}
