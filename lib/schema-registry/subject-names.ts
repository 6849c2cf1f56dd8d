import { TopologyError } from '../model/errors.js';
import type { SerdePlace } from '../serde/serde.js';

/**
 * Under which subject a schema is registered. Kafka's registries call them strategies: `topic` is `TopicNameStrategy`
 * (`orders-value`), `record` is `RecordNameStrategy` (the full name of the record), `topicRecord` is `TopicRecordNameStrategy`
 * (`orders-shop.Order`). A function names it itself.
 */
export type SubjectNames =
  | 'topic'
  | 'record'
  | 'topicRecord'
  | ((place: SerdePlace, recordName: string | null) => string);

/**
 * The naming of one serde.
 *
 * @param recordName full name of the record, the message's, a JSON schema's title; null if it has none
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if the record's name is asked for and there is none
 */
export function subjectNaming(names: SubjectNames, recordName: string | null): (place: SerdePlace) => string {
  if (typeof names === 'function') return (place) => names(place, recordName);
  if (names === 'topic') return ({ topic, part }) => `${topic}-${part}`;
  if (recordName === null) {
    throw new TopologyError(`subjects by '${names}' need the name of a record, and the schema has none`, {
      details: { subjectNames: names },
      remedy: "Give the schema a name (a JSON schema a title), or name subjects by 'topic'.",
    });
  }
  return names === 'record' ? () => recordName : ({ topic }) => `${topic}-${recordName}`;
}
