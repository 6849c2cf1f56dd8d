/** Ready-made answers to the question when a record happened. Kafka: the classes of the same names. */
import { ProcessingError } from '../model/errors.js';
import type { TimestampExtractor } from './node.js';

/** The record's own timestamp; one below 0 stops the task. Kafka's default, where ours drops the record and counts it. */
export const failOnInvalidTimestamp: TimestampExtractor = ({ timestampMs, metadata }) => {
  if (timestampMs >= 0) return timestampMs;
  throw new ProcessingError(
    `${metadata.topic}-${metadata.partition}, offset ${metadata.offset}: timestamp ${timestampMs}`,
    {
      details: { ...metadata, timestampMs },
      remedy: 'Let the producer of the topic write timestamps, or give the source another timestamp extractor.',
    },
  );
};

/** The record's own timestamp; one below 0 drops the record, which is counted. What sources do without an extractor. */
export const logAndSkipOnInvalidTimestamp: TimestampExtractor = ({ timestampMs }) => timestampMs;

/** The record's own timestamp; one below 0 becomes the greatest of the partition so far. Stops the task if there is none yet. */
export const usePartitionTimeOnInvalidTimestamp: TimestampExtractor = (record, partitionTimeMs, nowMs) =>
  record.timestampMs < 0 && partitionTimeMs >= 0
    ? partitionTimeMs
    : failOnInvalidTimestamp(record, partitionTimeMs, nowMs);

/** When the record is processed, whatever it says itself: processing time. A record that is processed again has another time. */
export const wallclockTimestamp: TimestampExtractor = (_record, _partitionTimeMs, nowMs) => nowMs;
