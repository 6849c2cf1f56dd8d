/** What an application may be defined with. */
import { defineApp, type Topology } from '../../lib/index.js';

declare const topology: Topology;
const app = { applicationId: 'app', topology };

// The time of records: one of Kafka's four extractors by name, or a function.
defineApp({ ...app, settings: { defaultTimestampExtractor: 'wallclockTimestamp' } });
defineApp({ ...app, timestampExtractor: ({ timestampMs }, partitionTimeMs) => Math.max(timestampMs, partitionTimeMs) });
// @ts-expect-error -- there is none of that name
defineApp({ ...app, settings: { defaultTimestampExtractor: 'WallclockTimestampExtractor' } });
// @ts-expect-error -- an extractor answers milliseconds
defineApp({ ...app, timestampExtractor: () => '2026-01-01' });

// What nobody caught: one of Kafka's three answers, by a setting or a function.
defineApp({ ...app, settings: { uncaughtExceptionHandler: 'replaceThread' } });
defineApp({
  ...app,
  handlers: {
    uncaught: ({ taskId, error }) =>
      taskId === null ? 'shutdownClient' : error.code === 'X' ? 'replaceThread' : 'shutdownApplication',
  },
});
// @ts-expect-error -- that is an answer about a record
defineApp({ ...app, handlers: { uncaught: () => 'continue' } });
// @ts-expect-error -- a handler can not wait
defineApp({ ...app, handlers: { uncaught: async () => 'replaceThread' } });
// @ts-expect-error -- Kafka's name in capitals is none here
defineApp({ ...app, settings: { uncaughtExceptionHandler: 'REPLACE_THREAD' } });
