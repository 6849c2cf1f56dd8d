/**
 * One broker for all tests of a run: the one given by `KAFKA_BROKERS`, else one that is started before the first test that
 * needs Kafka and ended after the last. Tests read `inject('kafkaBrokers')` and use topics, groups and transactional ids of
 * names of their own, since they share it with each other and perhaps with earlier runs.
 */
import type { TestProject } from 'vitest/node';
import { kafkaAvailability } from './availability.js';
import { toolsClassPath } from './jars.js';
import { startKafka } from './kafka-cluster.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the brokers that the tests share. */
    readonly kafkaBrokers: readonly string[];
  }
}

/** Vitest's global set-up of the level `kafka`. @throws {Error} when there is no broker and none can be started */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { given, java, missing } = await kafkaAvailability();
  if (java) await toolsClassPath();
  if (given !== undefined) {
    project.provide('kafkaBrokers', given);
    return async () => {};
  }
  if (!java)
    throw new Error(`These tests need a Kafka broker. Give one by KAFKA_BROKERS=host:port, or install ${missing}.`);
  const kafka = await startKafka({ brokers: 1 });
  project.provide('kafkaBrokers', kafka.brokers);
  return () => kafka.stop();
}
