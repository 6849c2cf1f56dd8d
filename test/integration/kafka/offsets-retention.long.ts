/**
 * Committed offsets of a group without members expire on the broker. An application must not lose its place by that: it keeps
 * its offsets alive, falls back on what its last clean release recorded, and stops rather than count again.
 */
import { Kafka, logLevel } from 'kafkajs';
import { afterEach, expect, it } from 'vitest';
import wordCount from '../../../examples/wordcount/word-count.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { defineApp, string } from '../../../lib/index.js';
import { LocalStreams, offset, topicPartitionKey } from '../../../lib/local/index.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import { startKafka } from '../../support/kafka/kafka-cluster.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { sleep, waitFor } from '../../support/wait-for.js';

const IDLE_MS = 180_000;
const CONTROL_GROUP = 'control';
const PLACE = { topic: 'lines', partition: 0 };
const serdes = { key: string(), value: string() };

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(settings: Readonly<Record<string, number>>) {
  const kafka = await startKafka({
    brokers: 1,
    properties: { 'offsets.retention.minutes': '1', 'offsets.retention.check.interval.ms': '5000' },
  });
  cleanUps.push(() => kafka.stop());
  const events: LoggedEvent[] = [];
  const host = createNodeHost({ logger: listeningLogger(events) });
  const log = await createKafkaLog({ brokers: [...kafka.brokers], host });
  cleanUps.push(() => log.close());
  const quick = { heartbeatIntervalMs: 200, sessionTimeoutMs: 4_000, tickIntervalMs: 200, offsetsRetentionMs: 60_000 };
  const { applicationId, topology } = wordCount;
  const streams = await LocalStreams.start({
    app: defineApp({ applicationId, topology, settings: { ...quick, ...settings } }),
    host,
    log,
    topics: ['lines', 'counts'].map((name) => ({ name, partitions: 2, config: {} })),
  });
  cleanUps.push(() => streams.close());
  const say = async (value: string) => {
    await streams.append('lines', serdes, [{ key: 'same', value }]);
  };
  const forget = async () => {
    const admin = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.deleteGroups([applicationId]);
    await admin.disconnect();
  };
  return { log, streams, events, say, forget };
}

it('an idle application keeps its offsets while another group’s expire', async () => {
  const { log, streams, say } = await start({ idleTimeoutMs: 0 });
  await say('to be or not to be');
  await streams.untilCaughtUp(AbortSignal.timeout(60_000));
  const key = topicPartitionKey(PLACE);
  await log.commitOffsets(CONTROL_GROUP, new Map([[key, { nextOffset: offset(1), metadata: '' }]]));

  await sleep(IDLE_MS);

  const both = [PLACE, { ...PLACE, partition: 1 }];
  expect((await log.committedOffsets(CONTROL_GROUP, both)).size).toBe(0);
  expect((await log.committedOffsets(wordCount.applicationId, both)).size).toBe(2);
  await say('to be');
  await streams.untilCaughtUp(AbortSignal.timeout(60_000));
  expect(await streams.query('counts', 'be')).toMatchObject({ value: 3 });
}, 400_000);

it('offsets deleted by hand are taken from the last clean release', async () => {
  const { streams, events, say, forget } = await start({ idleTimeoutMs: 500 });
  await say('to be or not to be');
  await streams.untilCaughtUp(AbortSignal.timeout(60_000));
  await waitFor('every task to be released', async () => (await streams.state()).unowned.length === 4);

  await forget();
  await say('to be');

  await waitFor('the line to be counted', async () => (await streams.query('counts', 'be')).value === 3, 60_000);
  await streams.untilCaughtUp(AbortSignal.timeout(60_000));
  expect(await streams.query('counts', 'to')).toMatchObject({ value: 3 });
  expect(events.filter(({ event }) => event === 'task-failed')).toEqual([]);
}, 200_000);

it('stops with STREAMS_LOST_OFFSETS where both are gone, and counts nothing again', async () => {
  const { streams, events, say, forget } = await start({ idleTimeoutMs: 0 });
  await say('to be or not to be');
  await streams.untilCaughtUp(AbortSignal.timeout(60_000));

  await forget();
  streams.crash('member-1');
  await say('to be');

  const failed = await waitFor(
    'a task to stop',
    async () => events.find(({ event }) => event === 'task-failed'),
    60_000,
  );
  await sleep(3_000);
  expect(failed.fields.code).toBe('STREAMS_LOST_OFFSETS');
  expect(await streams.query('counts', 'be')).toMatchObject({ value: 2 });
}, 200_000);
