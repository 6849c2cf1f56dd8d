import { randomUUID } from 'node:crypto';
import type { Log } from '../../../lib/log/log.js';
import { runJavaTool } from './java-tool.js';
import { javaTruth } from './java-truth.js';
import { readCommitted } from './read-committed.js';

const bytesOfFetches = [1024 * 1024, 4 * 1024, 300];
const timeoutMs = 1_800_000;

export interface Disagreement {
  readonly topic: string;
  readonly partition: number;
  readonly seed: number;
  readonly maxBytes: number;
  readonly java: string;
  readonly ours: string;
}

/**
 * Lets the Java client write random transactions, one topic for each seed, and reads all partitions with both readers.
 *
 * @returns how many records were compared, and where the readers disagree
 */
export async function compareRandomTransactions(
  log: Log,
  brokers: readonly string[],
  seeds: { readonly first: number; readonly count: number },
): Promise<{ readonly records: number; readonly disagreements: readonly Disagreement[] }> {
  const prefix = `random-${randomUUID().slice(0, 8)}`;
  const seedOf = new Map<string, number>();
  for (let seed = seeds.first; seed < seeds.first + seeds.count; seed += 1) seedOf.set(`${prefix}-${seed}`, seed);
  const options = { brokers, timeoutMs };
  await runJavaTool('RandomTransactions', [prefix, String(seeds.first), String(seeds.count)], options);

  const disagreements: Disagreement[] = [];
  let records = 0;
  for (const { topic, partition, end, ...java } of await javaTruth([...seedOf.keys()], options)) {
    const seed = seedOf.get(topic) ?? -1;
    const maxBytes = bytesOfFetches[(seed + partition) % bytesOfFetches.length] as number;
    const ours = await readCommitted(log, { topic, partition }, { endOffset: end, maxBytes });
    records += ours.records;
    if (ours.sha !== java.sha || ours.records !== java.records) {
      const [javaSays, weSay] = [java, ours].map((read) => `${read.records} records, ${read.sha}`) as [string, string];
      disagreements.push({ topic, partition, seed, maxBytes, java: javaSays, ours: weSay });
    }
  }
  // Topics on which the readers disagree stay for whoever looks.
  const kept = new Set(disagreements.map(({ topic }) => topic));
  for (const topic of seedOf.keys()) if (!kept.has(topic)) await log.deleteTopic(topic);
  return { records, disagreements };
}
