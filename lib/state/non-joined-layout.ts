/**
 * Keys and values of records that a left or outer join keeps until their window has closed, byte for byte as Kafka's:
 *
 * - key: 8 bytes timestamp · a byte, 1 for the left stream · key. Kafka: `TimestampedKeyAndJoinSide`
 * - value: a list of what came at that time with that key, each a byte, 1 for the left stream, and the value. Kafka: `LeftOrRightValue`
 */
import { asBuffer, type ByteKey, byteKey, bytesOfKey, type PackedBytes } from '../model/byte-key.js';
import { DeserializationError } from '../model/errors.js';
import { lookupsOfParts } from '../serde/lookups.js';
import { type Serde, serializedBy } from '../serde/serde.js';
import { packTime, TIME_BYTES, timeAt } from './packed-numbers.js';
import { appendedTo, packedList, valuesOfList } from './value-list.js';

export type JoinSide = 'left' | 'right';

const LEFT = '\u0001';
const RIGHT = '\u0000';
const KEY_AT = TIME_BYTES + 1;

export interface NonJoinedKey<K> {
  readonly timestampMs: number;
  readonly side: JoinSide;
  readonly key: K;
}

/** A value of either stream. */
export interface SidedValue {
  readonly side: JoinSide;
  readonly value: unknown;
}

export function packNonJoinedKey(timestampMs: number, side: JoinSide, key: ByteKey): ByteKey {
  return `${packTime(timestampMs)}${flagOf(side)}${key}` as ByteKey;
}

/** @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED if the bytes are too few */
export function readNonJoinedKey(packed: ByteKey): NonJoinedKey<ByteKey> {
  if (packed.length < KEY_AT) {
    throw new DeserializationError(`${packed.length} bytes are no key of a record that waits to be joined`, {
      details: { sizeBytes: packed.length },
    });
  }
  return { timestampMs: timeAt(packed, 0), side: sideOf(packed, TIME_BYTES), key: packed.slice(KEY_AT) as ByteKey };
}

/** The list after a value has been added; `list` null is none yet. */
export function withNonJoinedValue(list: PackedBytes | null, side: JoinSide, value: PackedBytes): PackedBytes {
  const sided = `${flagOf(side)}${value}` as PackedBytes;
  return list === null ? packedList(sided) : appendedTo(list, sided);
}

/** The values of a list, without what says whose they are: that is in the key too. */
export function nonJoinedValues(list: PackedBytes): readonly PackedBytes[] {
  return valuesOfList(list).map((sided) => sided.slice(1) as PackedBytes);
}

export function nonJoinedKeySerde<K>(key: Serde<K>): Serde<NonJoinedKey<K>> {
  return {
    serialize: (of) => bytesOfKey(packNonJoinedKey(of.timestampMs, of.side, byteKey(serializedBy(key, of.key)))),
    deserialize: (bytes) => {
      const read = readNonJoinedKey(byteKey(bytes));
      return { ...read, key: key.deserialize(bytesOfKey(read.key)) };
    },
    ...lookupsOfParts([key], (bytes, start, end, visit) => visit(key, bytes, start + KEY_AT, end)),
  };
}

export function nonJoinedValueSerde(left: Serde<unknown>, right: Serde<unknown>): Serde<readonly SidedValue[]> {
  const serdeOf = (side: JoinSide) => (side === 'left' ? left : right);
  return {
    serialize: (values) => {
      let list: PackedBytes | null = null;
      for (const { side, value } of values)
        list = withNonJoinedValue(list, side, byteKey(serializedBy(serdeOf(side), value)));
      return list === null ? Buffer.alloc(0) : bytesOfKey(list);
    },
    deserialize: (bytes) =>
      valuesOfList(byteKey(asBuffer(bytes))).map((sided) => {
        const side = sideOf(sided, 0);
        return { side, value: serdeOf(side).deserialize(bytesOfKey(sided.slice(1) as PackedBytes)) };
      }),
    ...lookupsOfParts([left, right], (bytes, start, end, visit) => {
      for (const sided of valuesOfList(byteKey(bytes.subarray(start, end)))) {
        const value = bytesOfKey(sided.slice(1) as PackedBytes);
        visit(serdeOf(sideOf(sided, 0)), value, 0, value.length);
      }
    }),
  };
}

function flagOf(side: JoinSide): string {
  return side === 'left' ? LEFT : RIGHT;
}

function sideOf(packed: PackedBytes, at: number): JoinSide {
  return packed[at] === LEFT ? 'left' : 'right';
}
