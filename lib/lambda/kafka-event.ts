/**
 * The payload of a Kafka event source mapping, as a doorbell.
 *
 * The event is a hint: it says that partitions have records up to some offset, and nothing else in it is read. Keys, values and
 * headers come in many forms (null, missing, empty, base64, lists of bytes); the task reads the records from the log, so none
 * of those forms can matter here.
 */
import type { Doorbell } from '../invoke/payloads.js';
import { type Offset, offset } from '../model/offset.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import { countOf, type Fields, fieldsOf, isFields, listOf, textOf } from './event-fields.js';

/** Amazon MSK, and self-managed Apache Kafka, which AWS's own pages write both ways. */
const KAFKA_SOURCES: readonly unknown[] = ['aws:kafka', 'SelfManagedKafka', 'aws:SelfManagedKafka'];

export function isKafkaEvent(event: unknown): event is Fields {
  return isFields(event) && KAFKA_SOURCES.includes(event.eventSource);
}

/**
 * The partitions that the event names, each up to behind its last record (`toOffset` is exclusive).
 *
 * @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD if a record does not say its topic, partition and offset
 */
export function doorbellPartitions(event: Fields): Doorbell['partitions'] {
  const partitions = new Map<string, { topic: string; partition: number; toOffset: Offset }>();
  for (const [name, batch] of Object.entries(fieldsOf(event.records, 'records'))) {
    for (const [index, entry] of listOf(batch, `records['${name}']`).entries()) {
      const where = `records['${name}'][${index}]`;
      const record = fieldsOf(entry, where);
      const topic = textOf(record.topic, `${where}.topic`);
      const partition = countOf(record.partition, `${where}.partition`);
      const toOffset = offset(countOf(record.offset, `${where}.offset`) + 1);
      const key = topicPartitionKey({ topic, partition });
      if (toOffset > (partitions.get(key)?.toOffset ?? 0)) partitions.set(key, { topic, partition, toOffset });
    }
  }
  return [...partitions.values()];
}
