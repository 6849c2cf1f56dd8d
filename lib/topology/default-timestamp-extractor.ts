/**
 * Which timestamp extractor a source has. Kafka: `default.timestamp.extractor`.
 *
 * Its own, else the application's function, else the one that the setting names. Internal topics have none but the records' own
 * timestamps, which this application wrote: Kafka Streams shows the topics of foreign-key joins to the default extractor too,
 * with values that no user's function knows.
 */
import type { StreamsApp } from './app.js';
import type { SourceNode, TimestampExtractor } from './node.js';
import {
  failOnInvalidTimestamp,
  usePartitionTimeOnInvalidTimestamp,
  wallclockTimestamp,
} from './timestamp-extractors.js';

const BY_NAME: Readonly<Record<StreamsApp['settings']['defaultTimestampExtractor'], TimestampExtractor | undefined>> = {
  failOnInvalidTimestamp,
  // What a source does without one, and without a call for each record.
  logAndSkipOnInvalidTimestamp: undefined,
  usePartitionTimeOnInvalidTimestamp,
  wallclockTimestamp,
};

/** The extractor of a source in an application; undefined: records have their own timestamps, and negative ones are dropped. */
export function timestampExtractorOf(
  { topology, settings, timestampExtractor }: Pick<StreamsApp, 'topology' | 'settings' | 'timestampExtractor'>,
  source: SourceNode,
): TimestampExtractor | undefined {
  if (source.timestampExtractor !== undefined) return source.timestampExtractor;
  if (source.topics.some((topic) => topology.repartitionTopics.has(topic))) return undefined;
  return timestampExtractor ?? BY_NAME[settings.defaultTimestampExtractor];
}
