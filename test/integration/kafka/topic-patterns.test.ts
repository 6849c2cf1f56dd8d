/** A source with a pattern on a broker: topics that are made while the application runs. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createJsonLinesLogger } from '../../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { defineApp, StreamsBuilder, string } from '../../../lib/index.js';
import { LocalStreams } from '../../../lib/local/index.js';
import type { KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import { newName, openLog } from '../../support/kafka/log-kit.js';

const text = { key: string(), value: string() };
const QUICK = { commitIntervalMs: 20, heartbeatIntervalMs: 200, sessionTimeoutMs: 2_000, tickIntervalMs: 200 };

let log: KafkaLog;
beforeAll(async () => {
  log = await openLog(inject('kafkaBrokers'));
});
afterAll(() => log.close());

it('a topic that is made while the application runs is read from its start on', async () => {
  const [applicationId, prefix] = [newName('pattern'), newName('orders')];
  const topic = (name: string) => ({ name: `${prefix}-${name}`, partitions: 2, config: {} });
  const builder = new StreamsBuilder();
  builder
    .stream(new RegExp(`${prefix}-.*`), text)
    .groupBy((_, country) => country)
    .count({ store: 'counts' });
  const streams = await LocalStreams.start({
    app: defineApp({ applicationId, topology: builder.build(), settings: QUICK }),
    topics: [topic('dk')],
    log,
    host: createNodeHost({ logger: createJsonLinesLogger({ level: 'silent' }) }),
  });
  try {
    const append = (name: string, ...values: readonly string[]) =>
      streams.append(
        topic(name).name,
        text,
        values.map((value) => ({ key: value, value })),
      );
    await append('dk', 'dk', 'x');
    await streams.untilCaughtUp(AbortSignal.timeout(20_000));

    await log.createTopic(topic('se'));
    await append('se', 'se', 'x', 'x');
    await streams.untilCaughtUp(AbortSignal.timeout(20_000));

    const values = [];
    for (const key of ['dk', 'se', 'x']) values.push((await streams.query('counts', key)).value);
    expect(values).toEqual([1, 1, 3]);
  } finally {
    await streams.close();
  }
}, 60_000);
