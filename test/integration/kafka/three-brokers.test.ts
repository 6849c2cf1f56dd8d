/** Word count on three brokers with replication 3, at both guarantees, while each broker is killed under load and restarted. */
import { afterEach, describe, expect, it } from 'vitest';
import wordCount from '../../../examples/wordcount/word-count.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { defineApp } from '../../../lib/index.js';
import { LocalStreams, type Log, RecordSetBuilder } from '../../../lib/local/index.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { Settings } from '../../../lib/model/settings.js';
import { startKafka } from '../../support/kafka/kafka-cluster.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { textOfWords } from '../../support/text-of-words.js';
import { waitFor } from '../../support/wait-for.js';
import { differences, readCounts } from '../../support/word-count-reader.js';

const LINES = 60_000;
const PARTITIONS = 4;
const CHUNK_LINES = 250;
const WAIT_MS = 120_000;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(processingGuarantee: Settings['processingGuarantee']) {
  const kafka = await startKafka({ brokers: 3 });
  cleanUps.push(() => kafka.stop());
  const events: LoggedEvent[] = [];
  const host = createNodeHost({ logger: listeningLogger(events) });
  const log = await createKafkaLog({ brokers: [...kafka.brokers], host });
  cleanUps.push(() => log.close());
  const settings = {
    processingGuarantee,
    members: 3,
    statestoreCacheMaxBytes: 0,
    idleTimeoutMs: 0,
    replicationFactor: 3,
  };
  const { applicationId, topology } = wordCount;
  const streams = await LocalStreams.start({
    app: defineApp({
      applicationId,
      topology,
      settings: { ...settings, heartbeatIntervalMs: 500, tickIntervalMs: 500 },
    }),
    host,
    log,
    topics: ['lines', 'counts'].map((name) => ({ name, partitions: PARTITIONS, replicationFactor: 3, config: {} })),
  });
  cleanUps.push(() => streams.close());
  return { kafka, log, streams, events };
}

/** Feeds the text bit by bit. */
async function feed(log: Log, lines: readonly string[], report: (part: number) => void): Promise<void> {
  for (let from = 0; from < lines.length; from += CHUNK_LINES) {
    const builder = new RecordSetBuilder();
    for (const line of lines.slice(from, from + CHUNK_LINES)) builder.append(null, Buffer.from(line), Date.now());
    await log.append({ topic: 'lines', partition: (from / CHUNK_LINES) % PARTITIONS }, builder.build());
    report((from + CHUNK_LINES) / lines.length);
  }
}

/** Kills and restarts every broker in turn while the text is fed and counted. */
async function countWhileBrokersDie(guarantee: Settings['processingGuarantee']) {
  const { kafka, log, streams, events } = await start(guarantee);
  const text = textOfWords(LINES, 3);
  let fed = 0;
  const feeding = feed(log, text.lines, (part) => {
    fed = part;
  });
  cleanUps.push(() => feeding.catch(() => undefined));
  const untilFed = (part: number) => waitFor(`part ${part} of the text`, async () => fed >= part, WAIT_MS);
  for (const broker of [1, 2, 3]) {
    await untilFed(broker * 0.22);
    await kafka.kill(broker);
    await untilFed(broker * 0.22 + 0.1);
    await kafka.restart(broker);
  }
  await feeding;
  await streams.untilCaughtUp(AbortSignal.timeout(WAIT_MS));
  const failures = events.filter(({ event }) => event === 'task-failed' || event === 'invocation-failed');
  return { counts: await readCounts(log, 'counts', PARTITIONS), wanted: text.counts, failures };
}

describe('word count on three brokers that are killed in turn', () => {
  it('is exact, exactly once, and no error reaches the user', async () => {
    const { counts, wanted, failures } = await countWhileBrokersDie('exactly_once_v2');

    expect(differences(counts, wanted)).toEqual([]);
    expect(failures).toEqual([]);
  }, 300_000);

  it('loses nothing, at least once', async () => {
    const { counts, wanted, failures } = await countWhileBrokersDie('at_least_once');

    const lost = [...wanted].filter(([word, count]) => (counts.get(word)?.at(-1) ?? 0) < count);
    expect(lost).toEqual([]);
    expect(failures).toEqual([]);
  }, 300_000);
});
