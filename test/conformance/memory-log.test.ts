import { describe, expect, it } from 'vitest';
import { createMemoryLog, MemoryLog } from '../../lib/log/memory/memory-log.js';
import { describeLogConformance } from '../../lib/testing/conformance/log-conformance.js';
import { createTestHost, type TestHost } from '../support/test-host.js';

let host: TestHost;

describeLogConformance(
  {
    name: 'memory',
    createLog: () => {
      host = createTestHost();
      return createMemoryLog({ host, defaults: { retentionCheckIntervalMs: 1_000 } });
    },
    supports: { topicIds: true, promptTransactionTimeout: true, promptRetention: true },
    advanceMs: (ms) => host.advance(ms),
    compact: async (log, topic) => {
      if (log instanceof MemoryLog) await log.compact(topic);
    },
  },
  { describe, it, expect },
);
