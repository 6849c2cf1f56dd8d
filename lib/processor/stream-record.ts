import { type Headers, NO_HEADERS } from '../model/record-set.js';
import { Cell } from '../serde/cell.js';

/**
 * A record inside a topology. Kafka: `processor.api.Record`.
 *
 * Key and value are views: they are read from the fetched bytes on first use. A record is never changed; the `with…`
 * methods make another that shares what stays, so that what one branch makes of a record and its headers is not seen by its sibling. The
 * key and the value themselves are shared, as in Kafka Streams: make new ones, never change an object that came in a record.
 */
export class StreamRecord<K, V> {
  readonly keyCell: Cell<K>;
  readonly valueCell: Cell<V>;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly headers: Headers;

  constructor(keyCell: Cell<K>, valueCell: Cell<V>, timestampMs: number, headers: Headers) {
    this.keyCell = keyCell;
    this.valueCell = valueCell;
    this.timestampMs = timestampMs;
    this.headers = headers;
  }

  /** A record of plain values. */
  static of<K, V>(record: {
    readonly key: K;
    readonly value: V;
    readonly timestampMs: number;
    readonly headers?: Headers;
  }): StreamRecord<K, V> {
    return new StreamRecord(
      Cell.of(record.key),
      Cell.of(record.value),
      record.timestampMs,
      record.headers ?? NO_HEADERS,
    );
  }

  get key(): K {
    return this.keyCell.value;
  }

  get value(): V {
    return this.valueCell.value;
  }

  withKey<K2>(key: K2): StreamRecord<K2, V> {
    return new StreamRecord(Cell.of(key), this.valueCell, this.timestampMs, this.headers);
  }

  withValue<V2>(value: V2): StreamRecord<K, V2> {
    return new StreamRecord(this.keyCell, Cell.of(value), this.timestampMs, this.headers);
  }

  withTimestamp(timestampMs: number): StreamRecord<K, V> {
    return new StreamRecord(this.keyCell, this.valueCell, timestampMs, this.headers);
  }

  withHeaders(headers: Headers): StreamRecord<K, V> {
    return new StreamRecord(this.keyCell, this.valueCell, this.timestampMs, headers);
  }
}
