import { startKafka } from '../test/support/kafka/kafka-cluster.js';
import { brokersFromEnvironment } from './brokers.js';

/**
 * Gives a bench the brokers of `KAFKA_BROKERS`, else one that is started for it: Kafka's own settings where a test's would cost
 * time, and a heap as large as a small server's.
 */
export async function withBroker<T>(bench: (brokers: readonly string[]) => Promise<T>): Promise<T> {
  if (process.env.KAFKA_BROKERS !== undefined) return bench(brokersFromEnvironment());
  const kafka = await startKafka({
    brokers: 1,
    properties: {
      'log.cleaner.backoff.ms': 15_000,
      'log.retention.check.interval.ms': 300_000,
      'broker.session.timeout.ms': 9_000,
      'broker.heartbeat.interval.ms': 2_000,
    },
    jvmOptions: ['-Xms512m', '-Xmx1g', '-Dorg.slf4j.simpleLogger.defaultLogLevel=info'],
  });
  try {
    return await bench(kafka.brokers);
  } finally {
    await kafka.stop();
  }
}
