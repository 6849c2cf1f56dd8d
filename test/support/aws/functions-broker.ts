/**
 * The broker of a deployed application: one that this file starts, where functions run on this machine, or the one that
 * `MILLRACE_TEST_KAFKA_BROKERS` names, which functions and tests both reach. How to log in there is said by the functions' own
 * variables (`MILLRACE_KAFKA_SECURITY_PROTOCOL` and so on). It is for tests alone: the application's topics have fixed names.
 */
import { createJsonLinesLogger } from '../../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { kafkaLogOptions } from '../../../lib/lambda/kafka-environment.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { Log } from '../../../lib/log/log.js';
import { startKafka } from '../kafka/kafka-cluster.js';
import type { AwsTarget } from './target.js';

export interface FunctionsBroker {
  readonly bootstrapServers: string;
  /** What the functions are told of it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
  /** Ends it, or leaves it as it was. */
  stop(): Promise<void>;
}

/**
 * @param isOurs whether a topic belongs to the application
 * @throws {Error} on AWS without a broker that it reaches, and if one that was given has such topics already
 */
export async function openBroker(target: AwsTarget, isOurs: (topic: string) => boolean): Promise<FunctionsBroker> {
  const { brokers } = target;
  if (brokers === undefined && target.kind === 'aws')
    throw new Error('Functions on AWS reach no broker on this machine: name one in MILLRACE_TEST_KAFKA_BROKERS.');
  if (brokers === undefined) {
    const kafka = await startKafka({ brokers: 1 });
    const environment = { MILLRACE_KAFKA_BROKERS: kafka.bootstrapServers };
    const log = await openLog(environment);
    const stop = async () => {
      await log.close();
      await kafka.stop();
    };
    return { bootstrapServers: kafka.bootstrapServers, environment, log, stop };
  }
  const bootstrapServers = brokers.join(',');
  const login = Object.entries(process.env).filter(([name]) => name.startsWith('MILLRACE_KAFKA_'));
  const environment = { ...Object.fromEntries(login), MILLRACE_KAFKA_BROKERS: bootstrapServers };
  const log = await openLog(environment);
  const topics = async () => (await log.listTopics()).filter(isOurs);
  const before = await topics();
  if (before.length > 0) {
    await log.close();
    throw new Error(`The broker has topics of the application already: delete ${before.join(', ')}, or give another.`);
  }
  const stop = async () => {
    for (const topic of await topics()) await log.deleteTopic(topic);
    await log.close();
  };
  return { bootstrapServers, environment, log, stop };
}

async function openLog(environment: Readonly<Record<string, string>>): Promise<Log> {
  const host = createNodeHost({ logger: createJsonLinesLogger({ level: 'error' }) });
  return createKafkaLog(await kafkaLogOptions(environment, 'tests', host));
}
