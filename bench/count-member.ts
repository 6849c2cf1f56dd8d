/**
 * Counts by key with Millrace, one member in this process; bench/peers/KafkaStreamsCount.java is the same for Kafka Streams, word
 * for word.
 *
 * Arguments: application id, input topic, output topic, records in the input, commit interval in milliseconds, guarantee, tasks.
 * Prints `started`, `first` and `last` (record processed) with the wall clock, then waits for the end of its standard input:
 * whoever watches sees when the input's offsets are committed. Prints its peak memory and ends.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJsonLinesLogger } from '../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../lib/host/node/node-host.js';
import { defineApp, StreamsBuilder, settingsFromText, string } from '../lib/index.js';
import { LocalStreams } from '../lib/local/index.js';
import { createKafkaLog } from '../lib/log/kafka/kafka-log.js';
import { brokersFromEnvironment } from './brokers.js';

const [applicationId, input, output, records, commitIntervalMs, guarantee, tasks] = process.argv.slice(2) as [
  string,
  string,
  string,
  ...string[],
];
const say = (what: string, value: number = Date.now()) => process.stdout.write(`${what} ${value}\n`);

let seen = 0;
const builder = new StreamsBuilder();
builder
  .stream(input, { key: string(), value: string() })
  .peek(() => {
    seen += 1;
    if (seen === 1) say('first');
    if (seen === Number(records)) say('last');
  })
  .groupByKey()
  .count({ store: 'counts' })
  .toStream()
  .to(output);

const app = defineApp({
  applicationId,
  topology: builder.build(),
  settings: settingsFromText({
    'processing.guarantee': String(guarantee),
    'commit.interval.ms': String(commitIntervalMs),
    'statestore.cache.max.bytes': '0',
    'auto.offset.reset': 'earliest',
    'num.stream.threads': String(tasks),
    'millrace.idle.timeout.ms': '0',
  }),
});

const dir = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
const host = createNodeHost({ logger: createJsonLinesLogger({ level: 'warn' }) });
const log = await createKafkaLog({ brokers: brokersFromEnvironment(), host });
say('started');
const streams = await LocalStreams.start({ app, log, dir, host });

process.stdin.resume();
await once(process.stdin, 'end');
await streams.close();
await log.close();
await rm(dir, { recursive: true });
say('peakRssKb', process.resourceUsage().maxRSS);
say('processed', seen);
