import { createJsonLinesLogger } from '../../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { Log } from '../../../lib/log/log.js';

/** The log on real brokers, on this machine's clock; only errors are logged. */
export async function openKafkaLog(brokers: readonly string[]): Promise<Log> {
  return createKafkaLog({ brokers, host: createNodeHost({ logger: createJsonLinesLogger({ level: 'error' }) }) });
}
