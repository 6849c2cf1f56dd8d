/** How tests read batches unless they say otherwise: everything, from the start of the log. */
import { crc32c } from '../../../lib/host/node/crc32c.js';
import { createRecordCodecs } from '../../../lib/log/kafka/records/codecs.js';
import type { ReadBatchesOptions } from '../../../lib/log/kafka/records/read-batches.js';
import { offset } from '../../../lib/model/offset.js';

export const codecs = createRecordCodecs();

export function readOptions(changes: Partial<ReadBatchesOptions> = {}): ReadBatchesOptions {
  return {
    fromOffset: offset(0),
    isolation: 'readCommitted',
    abortedTransactions: null,
    digest: { crc32c },
    codecs,
    ...changes,
  };
}
