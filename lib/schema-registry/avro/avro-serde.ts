import avsc, { type Type } from 'avsc';
import type { Serde } from '../../serde/serde.js';
import { ownSchema, parsed, type ReferencedSchema } from '../own-schema.js';
import { type ReadPayload, type RegistrySerdeOptions, registrySerde } from '../registry-serde.js';
import type { KnownSchema } from '../schema-registry.js';

/** An Avro schema as a parsed `.avsc` file has it: the name of a type, a union, or an object. */
export type AvroSchema = string | readonly AvroSchema[] | { readonly type: unknown; readonly [name: string]: unknown };

export interface AvroOptions extends RegistrySerdeOptions {
  readonly schema: AvroSchema;
  readonly references?: readonly ReferencedSchema[];
}

/**
 * Values of an Avro schema, byte for byte as `KafkaAvroSerializer` writes them. What was written with another version of the schema is
 * read as this one, by Avro's rules; a record that can not be is unreadable, and the deserialisation handler decides.
 *
 * A record is an object, an enum a string, `bytes` and `fixed` are Buffers; the value of a union is given bare, or as `{ type: value }`
 * where its types can not be told apart. A `long` beyond ±(2^53 − 1) is refused, as `long()` refuses it.
 *
 * Keys: a key is looked up by its bytes, and these name the version of the schema. Do not let the schema of a key evolve.
 *
 * @param T the values as the program sees them; nothing checks that it is what the schema says
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if the schema is none
 *
 * @example
 * interface Order { readonly id: string; readonly amount: number }
 * const order = avro<Order>({
 *   registry,
 *   schema: { type: 'record', name: 'Order', namespace: 'shop', fields: [
 *     { name: 'id', type: 'string' },
 *     { name: 'amount', type: 'double' },
 *   ] },
 * });
 */
export function avro<T>({ schema, references, ...options }: AvroOptions): Serde<T> {
  const { info, own } = ownSchema('AVRO', JSON.stringify(schema), references);
  const reader = parsed('Avro', () => typeOf(own));
  const isBytes = reader.typeName === 'bytes';
  return registrySerde<T>(
    {
      info,
      own,
      recordName: reader.name ?? null,
      write: isBytes ? expectBytes : (value) => reader.toBuffer(value),
      readerOf: (writer) => (isBytes ? bytesReader<T>(writer) : valueReader<T>(reader, own, writer)),
    },
    options,
  );
}

function valueReader<T>(reader: Type, own: KnownSchema, writer: KnownSchema): ReadPayload<T> {
  if (writer.text === own.text) return (bytes, start, end) => reader.fromBuffer(ownCopy(bytes, start, end)) as T;
  const resolver = reader.createResolver(typeOf(writer));
  return (bytes, start, end) => reader.fromBuffer(ownCopy(bytes, start, end), resolver) as T;
}

/** Confluent's serialiser writes a schema of plain bytes without their length. */
function bytesReader<T>(writer: KnownSchema): ReadPayload<T> {
  if (typeOf(writer).typeName !== 'bytes') throw new TypeError('it is not a schema of bytes');
  return (bytes, start, end) => ownCopy(bytes, start, end) as T;
}

function expectBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError('a Uint8Array is wanted');
}

/** Bytes in a value may be kept for long, while the fetched buffer belongs to all records of its batch. */
function ownCopy(bytes: Buffer, start: number, end: number): Buffer {
  return Buffer.from(bytes.subarray(start, end));
}

function typeOf({ text, references }: KnownSchema): Type {
  const registry: Record<string, Type> = {};
  for (const each of references)
    avsc.Type.forSchema(JSON.parse(each.text), { registry, omitRecordMethods: true } as object);
  return avsc.Type.forSchema(JSON.parse(text), { registry, omitRecordMethods: true } as object);
}
