import type { LogReader } from '../lib/log/log.js';
import { type Offset, offset } from '../lib/model/offset.js';
import { topicPartitionKey } from '../lib/model/topic-partition.js';

const options = { isolation: 'readCommitted', maxWaitMs: 1_000, maxBytes: 1024 * 1024 } as const;

/**
 * Looks at what a count by key has written: every key counts 1, 2, 3 … without gap or repetition, and all keys together come
 * to the records of the input. A side that is fast and wrong is not fast.
 *
 * @throws {Error} naming the first record that is wrong
 */
export async function checkCounts(log: LogReader, topic: string, partitions: number, records: number): Promise<void> {
  const counts = new Map<string, bigint>();
  let read = 0;
  for (let partition = 0; partition < partitions; partition += 1) {
    const at = { topic, partition };
    const endOffset = (await log.listOffsets([at], 'lastStable')).get(topicPartitionKey(at)) ?? 0;
    let fromOffset: Offset = offset(0);
    while (fromOffset < endOffset) {
      const [result] = await log.fetch([{ ...at, fromOffset }], options);
      if (result === undefined) throw new Error(`nothing came of ${topic}-${partition} from ${fromOffset} on`);
      for (const record of result.records) {
        const key = Buffer.from(record.key ?? []).toString();
        const count = Buffer.from(record.value ?? []).readBigInt64BE();
        const before = counts.get(key) ?? 0n;
        if (count !== before + 1n) throw new Error(`${topic}-${partition}@${record.offset}: ${count} after ${before}`);
        counts.set(key, count);
        read += 1;
      }
      fromOffset = result.nextOffset;
    }
  }
  if (read !== records) throw new Error(`${topic}: the counts come to ${read} of ${records} records`);
}
