/** Each example on a broker, end to end. One of their own: their topics have the names that they have in production. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tryOut } from '../../../examples/try-out.js';
import type { KafkaLog } from '../../../lib/local/index.js';
import { exampleRuns } from '../../support/examples/example-runs.js';
import { type KafkaCluster, startKafka } from '../../support/kafka/kafka-cluster.js';
import { openLog } from '../../support/kafka/log-kit.js';

let kafka: KafkaCluster;
let log: KafkaLog;

beforeAll(async () => {
  kafka = await startKafka({ brokers: 1 });
  log = await openLog(kafka.brokers);
});
afterAll(async () => {
  await log?.close();
  await kafka?.stop();
});

describe('an example on a broker', () => {
  it.each(exampleRuns)('$name answers what plain code does', async ({ app, wanted, ...run }) => {
    const answer = await tryOut(app, { ...run, log });

    expect(answer).toEqual(wanted);
  });
});
