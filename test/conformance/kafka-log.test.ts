import { describe, expect, inject, it } from 'vitest';
import { createJsonLinesLogger } from '../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { createKafkaLog } from '../../lib/log/kafka/kafka-log.js';
import { describeLogConformance } from '../../lib/testing/conformance/log-conformance.js';

describeLogConformance(
  {
    name: 'kafka',
    createLog: () =>
      createKafkaLog({
        brokers: inject('kafkaBrokers'),
        endReturns: 'visible',
        host: createNodeHost({ logger: createJsonLinesLogger({ level: 'error' }) }),
      }),
    supports: { topicIds: true, promptTransactionTimeout: false, promptRetention: false },
    pollMs: 300,
  },
  { describe, it, expect },
);
