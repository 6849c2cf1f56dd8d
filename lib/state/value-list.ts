/**
 * Several values as one, byte for byte as Kafka's lists of byte arrays: a byte that says each value has its length, 4 bytes count,
 * and for each value 4 bytes length and the value. Kafka: `ListSerializer`, `ListValueStore`.
 */
import type { PackedBytes } from '../model/byte-key.js';
import { DeserializationError } from '../model/errors.js';
import { INT_BYTES, intAt, packInt } from './packed-numbers.js';

/** Kafka's `VARIABLE_SIZE`. */
const EACH_HAS_ITS_LENGTH = '\u0001';
const COUNT_AT = 1;
const FIRST_AT = COUNT_AT + INT_BYTES;

/** A list of one value. */
export function packedList(value: PackedBytes): PackedBytes {
  return `${EACH_HAS_ITS_LENGTH}${packInt(1)}${element(value)}` as PackedBytes;
}

/** The list with one value more, at its end. */
export function appendedTo(list: PackedBytes, value: PackedBytes): PackedBytes {
  const count = intAt(list, COUNT_AT) + 1;
  return `${EACH_HAS_ITS_LENGTH}${packInt(count)}${list.slice(FIRST_AT)}${element(value)}` as PackedBytes;
}

/** @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED if the bytes are no list */
export function valuesOfList(list: PackedBytes): readonly PackedBytes[] {
  const count = intAt(list, COUNT_AT);
  const values: PackedBytes[] = [];
  let at = FIRST_AT;
  while (values.length < count && at < list.length) {
    const end = at + INT_BYTES + intAt(list, at);
    if (!(end <= list.length)) break;
    values.push(list.slice(at + INT_BYTES, end) as PackedBytes);
    at = end;
  }
  if (list.startsWith(EACH_HAS_ITS_LENGTH) && values.length === count && at === list.length) return values;
  throw new DeserializationError(`${list.length} bytes are no list of values`, { details: { sizeBytes: list.length } });
}

function element(value: PackedBytes): string {
  return `${packInt(value.length)}${value}`;
}
