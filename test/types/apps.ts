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
