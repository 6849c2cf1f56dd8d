/**
 * What the log alone can do: the bytes that the count reads and writes, without the count. A partition's records are fetched,
 * and their keys are sent twice with eight bytes (an output and a changelog record each), in transactions that hold the
 * offsets and end when the commit interval is over; all partitions at once, each with a producer of its own, as tasks have.
 *
 * Arguments: application id, input topic, output topic, changelog topic, commit interval in milliseconds. Prints as
 * count-member.ts does.
 */
import { createJsonLinesLogger } from '../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../lib/host/node/node-host.js';
import { createKafkaLog } from '../lib/log/kafka/kafka-log.js';
import type { FetchResult } from '../lib/log/log.js';
import { type Offset, offset } from '../lib/model/offset.js';
import { RecordSet } from '../lib/model/record-set.js';
import { type TopicPartition, topicPartitionKey } from '../lib/model/topic-partition.js';
import { brokersFromEnvironment } from './brokers.js';

const [applicationId, input, output, changelog, commitIntervalMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const valueBytes = 8;
const fetchOptions = { isolation: 'readCommitted', maxWaitMs: 10_000, maxBytes: 1024 * 1024 } as const;

const host = createNodeHost({ logger: createJsonLinesLogger({ level: 'warn' }) });
const log = await createKafkaLog({ brokers: brokersFromEnvironment(), host });
const say = (what: string, value: number = Date.now()) => process.stdout.write(`${what} ${value}\n`);
let processed = 0;

/** The keys of a set with the first bytes of its values; nothing is copied. */
function keysWithShortValues(set: RecordSet): RecordSet {
  return new RecordSet({ ...set, valueEnds: set.valueStarts.map((start) => start + valueBytes) });
}

async function fetch(from: TopicPartition, fromOffset: Offset): Promise<FetchResult> {
  const [result] = await log.fetch([{ ...from, fromOffset }], fetchOptions);
  if (result === undefined) throw new Error(`nothing came of ${from.topic}-${from.partition} from ${fromOffset} on`);
  return result;
}

async function copyPartition(partition: number): Promise<void> {
  const from = { topic: input, partition };
  const producer = await log.initProducer({
    transactionalId: `${applicationId}-${partition}`,
    transactionTimeoutMs: 10_000,
  });
  const ends = await log.listOffsets([from], 'highWatermark');
  const endOffset = ends.get(topicPartitionKey(from)) ?? 0;
  let nextOffset = offset(0);
  let fetching = fetch(from, nextOffset);
  while (nextOffset < endOffset) {
    const commitAtMs = Date.now() + Number(commitIntervalMs);
    while (nextOffset < endOffset && Date.now() < commitAtMs) {
      const { records, nextOffset: fetchedTo } = await fetching;
      nextOffset = fetchedTo;
      // What comes next is on its way while this is sent.
      if (nextOffset < endOffset) fetching = fetch(from, nextOffset);
      const sent = keysWithShortValues(records);
      await Promise.all([
        producer.send({ topic: output, partition }, sent),
        producer.send({ topic: changelog, partition }, sent),
      ]);
      processed += sent.size;
    }
    await producer.sendOffsets(applicationId, new Map([[topicPartitionKey(from), { nextOffset, metadata: '' }]]));
    await producer.commit();
  }
  await producer.close();
}

const partitions = (await log.describeTopics([input])).get(input)?.partitions ?? 0;
say('started');
say('first');
await Promise.all(Array.from({ length: partitions }, (_, partition) => copyPartition(partition)));
say('last');
await log.close();
say('peakRssKb', process.resourceUsage().maxRSS);
say('processed', processed);
