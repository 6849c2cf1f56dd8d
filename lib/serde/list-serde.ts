/**
 * Lists, byte for byte as Kafka's `ListSerde`:
 *
 * - of values of one size: a zero byte · how many are null · the index of each null · how many there are · the values that are not null
 * - of others: a byte 1 · how many there are · each as its length and its bytes; a length of −1 is null
 *
 * All numbers have 4 bytes, big-endian.
 */
import { asBuffer } from '../model/byte-key.js';
import { kindOfValue } from '../model/kind-of-value.js';
import { lookupsOfParts } from './lookups.js';
import type { Serde } from './serde.js';

const CONSTANT_SIZE = 0;
const VARIABLE_SIZE = 1;
const NULL_LENGTH = -1;
const INT_BYTES = 4;
/** Entries of a list: what a record can hold. Nulls of a constant size take no bytes that would bound them. */
const ENTRIES_MAX = 10_000_000;

/** By format, the sizes that Kafka's list serialiser takes for constant; a boolean's is not among them. */
const CONSTANT_SIZES: ReadonlyMap<string | undefined, number> = new Map([
  ['short', 2],
  ['int', 4],
  ['float', 4],
  ['long', 8],
  ['double', 8],
  ['uuid', 36],
]);

/** Where an entry lies, or null for a null. */
type Place = readonly [number, number] | null;

/**
 * A list of values, null among them or not. Kafka: `Serdes.ListSerde`.
 *
 * @example
 * builder.stream('baskets', { key: string(), value: list(long()) });
 */
export function list<T>(entry: Serde<T>): Serde<T[]> {
  const size = CONSTANT_SIZES.get(entry.format);
  const read = (bytes: Buffer, start: number, end: number): T[] =>
    placesOf(bytes, start, end, size).map((place) =>
      place === null ? (null as T) : entry.deserialize(bytes.subarray(...place)),
    );
  return Object.freeze({
    ...(entry.format === undefined ? {} : { format: `list(${entry.format})` }),
    serialize: (values: T[]) => {
      if (!Array.isArray(values)) throw new TypeError(`an array is wanted, not ${kindOfValue(values)}`);
      const entries = values.map((value: T) => (value === null || value === undefined ? null : entry.serialize(value)));
      return size === undefined ? variable(entries) : constant(entries);
    },
    deserialize: (bytes: Uint8Array) => read(asBuffer(bytes), 0, bytes.length),
    deserializeRange: read,
    ...lookupsOfParts([entry], (bytes, start, end, visit) => {
      for (const place of placesOf(bytes, start, end, size)) if (place !== null) visit(entry, bytes, ...place);
    }),
  });
}

function constant(entries: readonly (Uint8Array | null)[]): Buffer {
  const nulls = entries.flatMap((entry, index) => (entry === null ? [index] : []));
  const present = entries.filter((entry) => entry !== null);
  return Buffer.concat([Buffer.of(CONSTANT_SIZE), ints(nulls.length, ...nulls, entries.length), ...present]);
}

function variable(entries: readonly (Uint8Array | null)[]): Buffer {
  const sized = entries.flatMap((entry) => (entry === null ? [ints(NULL_LENGTH)] : [ints(entry.length), entry]));
  return Buffer.concat([Buffer.of(VARIABLE_SIZE), ints(entries.length), ...sized]);
}

function ints(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * INT_BYTES);
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number, index * INT_BYTES);
  return bytes;
}

/** @throws {RangeError} if the bytes are no list, or of entries of another size */
function placesOf(bytes: Buffer, start: number, end: number, constantSize: number | undefined): readonly Place[] {
  const kind = start < end ? bytes[start] : undefined;
  if (kind !== CONSTANT_SIZE && kind !== VARIABLE_SIZE) throw new RangeError(`${kind} is no kind of list`);
  const reader = new Reader(bytes, start + 1, end);
  const nulls =
    kind === CONSTANT_SIZE ? new Set(Array.from({ length: reader.count(INT_BYTES) }, () => reader.int())) : null;
  if (kind === CONSTANT_SIZE && constantSize === undefined) throw new RangeError('the entries have no constant size');
  const count = reader.count(kind === VARIABLE_SIZE ? INT_BYTES : 0);
  const places = Array.from({ length: count }, (_, index): Place => {
    if (nulls?.has(index) === true) return null;
    const size = nulls === null ? reader.int() : (constantSize as number);
    return size === NULL_LENGTH ? null : reader.skip(size);
  });
  if (!reader.isAtEnd) throw new RangeError('there are more bytes than the list says');
  return places;
}

class Reader {
  private readonly bytes: Buffer;
  private readonly end: number;
  private at: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.at === this.end;
  }

  int(): number {
    const [start] = this.skip(INT_BYTES);
    return this.bytes.readInt32BE(start);
  }

  /** How many of something that takes at least so many bytes each. */
  count(leastBytes: number): number {
    const count = this.int();
    if (count < 0 || count > ENTRIES_MAX || count * leastBytes > this.end - this.at)
      throw new RangeError(`there are no ${count} entries`);
    return count;
  }

  skip(size: number): readonly [number, number] {
    const start = this.at;
    if (size < 0 || size > this.end - start) throw new RangeError('the list is cut short');
    this.at = start + size;
    return [start, this.at];
  }
}
