/**
 * Restores a table of latest values with Millrace, one member in this process; bench/peers/KafkaStreamsRestore.java is the same for
 * Kafka Streams.
 *
 * Arguments: application id, input topic, tasks, store mode, folder with snapshots (or none). Prints `started`, `restoreStarted`, `restored` (each
 * time a store is) with the wall clock, and at its end, which comes with that of its standard input, `entries` of snapshots and `tail`
 * records that were read, and its peak memory.
 */
import { once } from 'node:events';
import type { LogFields, Logger } from '../lib/host/host.js';
import { createNodeHost } from '../lib/host/node/node-host.js';
import { LocalStreams } from '../lib/local/index.js';
import { createKafkaLog } from '../lib/log/kafka/kafka-log.js';
import { brokersFromEnvironment } from './brokers.js';
import { restoreApp } from './restore-app.js';

const [applicationId, input, tasks, storeMode, dir] = process.argv.slice(2) as [string, string, string, string, string];
const say = (what: string, value: number = Date.now()) => process.stdout.write(`${what} ${value}\n`);

const read = { entries: 0, tail: 0 };
let hasBegun = false;
const hear = (event: string, fields: LogFields = {}) => {
  if (event === 'restore-started' && !hasBegun) {
    hasBegun = true;
    say('restoreStarted');
  }
  if (event !== 'restore-finished') return;
  read.entries += Number(fields.snapshotEntries);
  read.tail += Number(fields.records);
  say('restored');
};
const complain = (event: string, fields?: LogFields) =>
  process.stderr.write(`${event} ${JSON.stringify(fields ?? {})}\n`);
const logger: Logger = { debug() {}, info: hear, warn: complain, error: complain, child: () => logger };

const host = createNodeHost({ logger });
const log = await createKafkaLog({ brokers: brokersFromEnvironment(), host });
const app = restoreApp({
  applicationId,
  input,
  tasks: Number(tasks),
  storeMode: storeMode === 'lazy' ? 'lazy' : 'resident',
});
say('started');
const streams = await LocalStreams.start({ app, log, dir, host });

process.stdin.resume();
await once(process.stdin, 'end');
await streams.close();
await log.close();
say('entries', read.entries);
say('tail', read.tail);
say('peakRssKb', process.resourceUsage().maxRSS);
