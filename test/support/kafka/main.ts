/**
 * A broker to try things on: `npm run kafka -- [TOPIC:PARTITIONS…]`.
 *
 * Starts one, makes the topics, says where it is, and ends it at Ctrl-C with all that it holds. Needs what the tests on Kafka need.
 */
import { once } from 'node:events';
import { createKafkaLog } from '../../../lib/local/index.js';
import { kafkaAvailability } from './availability.js';
import { startKafka } from './kafka-cluster.js';

function topicOf(text: string) {
  const [, name, partitions] = /^([^:]+):([1-9]\d*)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`'${text}' is no TOPIC:PARTITIONS, as lines:4 is`);
  return { name, partitions: Number(partitions), config: {} };
}

async function main(): Promise<void> {
  const topics = process.argv.slice(2).map(topicOf);
  const { missing } = await kafkaAvailability();
  if (missing !== '') throw new Error(`A broker needs ${missing}; README.md names other ways to one.`);
  const ending = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const kafka = await startKafka({ brokers: 1 });
  try {
    const log = await createKafkaLog({ brokers: kafka.brokers });
    for (const topic of topics) await log.createTopic(topic);
    await log.close();
    console.log(`export KAFKA_BROKERS=${kafka.bootstrapServers}`);
    console.log('Press Ctrl-C to end it.');
    await ending;
  } finally {
    await kafka.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
