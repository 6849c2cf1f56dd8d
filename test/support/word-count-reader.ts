import type { Log } from '../../lib/log/log.js';
import { offset } from '../../lib/model/offset.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';

const FETCH_BYTES = 1024 * 1024;

/** Every count that a read-committed reader of a topic of (word, long) records sees, in order, by word. */
export async function readCounts(log: Log, topic: string, partitions: number): Promise<Map<string, number[]>> {
  const counts = new Map<string, number[]>();
  for (let partition = 0; partition < partitions; partition += 1)
    await readPartition(log, { topic, partition }, counts);
  return counts;
}

async function readPartition(
  log: Log,
  at: { readonly topic: string; readonly partition: number },
  counts: Map<string, number[]>,
): Promise<void> {
  const key = topicPartitionKey(at);
  const end = (await log.listOffsets([at], 'lastStable')).get(key) ?? 0;
  let next = (await log.listOffsets([at], 'earliest')).get(key) ?? offset(0);
  while (next < end) {
    const fetched = await log.fetch([{ ...at, fromOffset: next }], {
      isolation: 'readCommitted',
      maxWaitMs: 0,
      maxBytes: FETCH_BYTES,
    });
    const [result] = fetched;
    if (result === undefined) throw new Error(`${key} answers nothing at ${next}, below its end ${end}`);
    for (const record of result.records) {
      const word = Buffer.from(record.key ?? []).toString();
      const count = Number(Buffer.from(record.value ?? []).readBigInt64BE());
      const seen = counts.get(word);
      if (seen === undefined) counts.set(word, [count]);
      else seen.push(count);
    }
    next = result.nextOffset;
  }
}

/** What is wrong with the counts of each word, which must be exactly 1, 2, … n; empty if nothing is. */
export function differences(
  seen: ReadonlyMap<string, readonly number[]>,
  wanted: ReadonlyMap<string, number>,
): string[] {
  const wrong: string[] = [];
  for (const [word, count] of wanted) {
    const counts = seen.get(word) ?? [];
    const firstWrong = counts.findIndex((value, index) => value !== index + 1);
    if (firstWrong >= 0) wrong.push(`${word}: ${counts[firstWrong]} where ${firstWrong + 1} is due`);
    else if (counts.length !== count) wrong.push(`${word}: ${counts.length} counts instead of ${count}`);
  }
  for (const word of seen.keys()) if (!wanted.has(word)) wrong.push(`${word}: never written`);
  return wrong;
}
