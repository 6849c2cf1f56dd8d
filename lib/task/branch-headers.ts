import type { Header } from '../model/record-set.js';
import type { StreamRecord } from '../processor/stream-record.js';

/**
 * The record for one of several children: with headers of its own, so that nothing a branch does to them, not even to their bytes, is
 * seen by its siblings. In Kafka Streams siblings share them. A record without headers is handed on as it is.
 */
export function forBranch<K, V>(record: StreamRecord<K, V>): StreamRecord<K, V> {
  return record.headers.length === 0 ? record : record.withHeaders(record.headers.map(copyOf));
}

function copyOf({ key, value }: Header): Header {
  return { key, value: value === null ? null : new Uint8Array(value) };
}
