/** Short words for tests of the log on a real broker. */
import { randomUUID } from 'node:crypto';
import { createJsonLinesLogger } from '../../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { createKafkaLog, type KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { KafkaLogOptions } from '../../../lib/log/kafka/kafka-log-options.js';
import type { Log } from '../../../lib/log/log.js';
import { offset } from '../../../lib/model/offset.js';
import { type TopicPartition, topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { shown } from '../../../lib/testing/conformance/log/scene.js';

/** Fetches after which a reading gives up. */
const MAX_FETCHES = 2_000;

/** The log with options of the test's choice; only errors are logged. */
export function openLog(
  brokers: readonly string[],
  options: Omit<KafkaLogOptions, 'brokers' | 'host'> = {},
): Promise<KafkaLog> {
  const host = createNodeHost({ logger: createJsonLinesLogger({ level: 'error' }) });
  return createKafkaLog({ brokers, host, ...options });
}

/** A name that nobody has used. */
export function newName(what: string): string {
  return `${what}-${randomUUID().slice(0, 8)}`;
}

/** Partition 0 of a new topic. */
export async function newPartition(log: Log, what: string): Promise<TopicPartition> {
  const topic = newName(what);
  // Test records are years old: a broker would be right to delete them at any moment.
  await log.createTopic({ name: topic, partitions: 1, config: { 'retention.ms': '-1' } });
  return { topic, partition: 0 };
}

/** `offset:key=value` of every committed record up to the last stable offset, which is the end when nothing is open. */
export async function readAll(log: Log, at: TopicPartition): Promise<readonly string[]> {
  const key = topicPartitionKey(at);
  const end = (await log.listOffsets([at], 'highWatermark')).get(key) ?? 0;
  const lines: string[] = [];
  let position = 0;
  for (let fetches = 0; position < end; fetches += 1) {
    if (fetches === MAX_FETCHES) throw new Error(`${key}: stuck at ${position} of ${end}`);
    const [result] = await log.fetch([{ ...at, fromOffset: offset(position) }], {
      isolation: 'readCommitted',
      maxWaitMs: 500,
      maxBytes: 1024 * 1024,
    });
    if (result === undefined) continue;
    lines.push(...shown(result.records));
    position = result.nextOffset;
  }
  return lines;
}

/** Values alone, in order. */
export function valuesOf(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.slice(line.indexOf('=') + 1));
}
