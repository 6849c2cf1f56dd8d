/**
 * What a task makes of the records of a source topic that serves as the changelog of a store: restored from it, the store must hold what the
 * task had put there.
 *
 * A record that the task drops, because it can not be read or has a negative timestamp, is not restored: Kafka Streams brings it back
 * (KAFKA-8037). A timestamp extractor is asked again; one that looks at the wall clock gets the record's own time for it, and one that
 * throws leaves the record's own. Where unreadable records stop the task (`fail`), one that lies before its committed offset was readable once:
 * it is restored, so that a serde that can not read it any more is heard of.
 */
import type { Offset } from '../model/offset.js';
import type { RecordSet } from '../model/record-set.js';
import type { TopicPartition } from '../model/topic-partition.js';
import { StreamRecord } from '../processor/stream-record.js';
import { type StreamsApp, topicName } from '../topology/app.js';
import { timestampExtractorOf } from '../topology/default-timestamp-extractor.js';
import type { SourceNode, TimestampExtractor } from '../topology/node.js';
import { ExtractedRecord, lookUpRecords, readableCell } from './deserialization.js';

/** One reader of such a partition, from its first record on: it keeps the partition's time. */
export interface SourceChangelog {
  /** Before records of a set are asked for: what their serdes have to look up; undefined: nothing. Errors as `SerdeLookups`. */
  lookUp(records: RecordSet): Promise<void> | undefined;
  /** The timestamp, in milliseconds, that a task gives to a record of a set, by its index; null for one that it drops. */
  timeOf(records: RecordSet, index: number): number | null;
}

/** Undefined for a changelog of the store's own, where all that is there counts. */
export function sourceChangelog(app: StreamsApp, changelog: TopicPartition): SourceChangelog | undefined {
  const logs = [...app.topology.changelogs.values()];
  if (!logs.some(({ topic, internal }) => !internal && topic === changelog.topic)) return undefined;
  const source = [...app.topology.nodes.values()].find(
    (node): node is SourceNode =>
      node.kind === 'source' && node.topics.some((topic) => topicName(app, topic) === changelog.topic),
  );
  if (source === undefined) return undefined;
  const drops = app.handlers?.deserialization !== undefined || app.settings.deserializationExceptionHandler !== 'fail';
  const extractor = timestampExtractorOf(app, source);
  let partitionTimeMs = -1;
  return {
    lookUp: (records) => lookUpRecords(source, records),
    timeOf(records, index) {
      const record = readable(source, records, index);
      if (record === null) return drops ? null : (records.timestamps[index] as number);
      const timestampMs = timeOf(extractor, record, { ...changelog, partitionTimeMs });
      if (timestampMs < 0) return null;
      partitionTimeMs = Math.max(partitionTimeMs, timestampMs);
      return timestampMs;
    },
  };
}

function readable({ keySerde, valueSerde }: SourceNode, set: RecordSet, index: number) {
  try {
    const key = readableCell(keySerde, set.bytes, set.keyStarts[index] as number, set.keyEnds[index] as number);
    const value = readableCell(valueSerde, set.bytes, set.valueStarts[index] as number, set.valueEnds[index] as number);
    const record = new StreamRecord(key, value, set.timestamps[index] as number, set.headersOf(index));
    return { record, offset: set.offsets[index] as Offset };
  } catch {
    return null;
  }
}

function timeOf(
  timestampExtractor: TimestampExtractor | undefined,
  { record, offset }: NonNullable<ReturnType<typeof readable>>,
  { topic, partition, partitionTimeMs }: TopicPartition & { readonly partitionTimeMs: number },
): number {
  const { timestampMs } = record;
  if (timestampExtractor === undefined) return timestampMs;
  try {
    const metadata = { topic, partition, offset };
    const extracted = timestampExtractor(new ExtractedRecord(record, metadata), partitionTimeMs, timestampMs);
    return Number.isSafeInteger(extracted) ? extracted : timestampMs;
  } catch {
    return timestampMs;
  }
}
