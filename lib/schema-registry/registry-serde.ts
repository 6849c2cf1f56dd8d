/**
 * A serde whose bytes name their schema in a registry. Writing and reading are synchronous: the ids of the schemas are looked up before
 * (SerdeLookups), and what was looked up stays.
 *
 * Invariants
 *   S1  all that is written carries one id, whatever the topic, so that equal keys are equal bytes
 *   S2  bytes are read with the schema that they were written with, as a value of the serde's own schema
 *   S3  no promise is made once the ids of topic and bytes are known
 */

import { asBuffer } from '../model/byte-key.js';
import { SerializationError } from '../model/errors.js';
import { messageOf } from '../model/thrown.js';
import type { Serde, SerdePlace } from '../serde/serde.js';
import type { SchemaInfo } from './registry-client.js';
import type { KnownSchema, SchemaRegistry } from './schema-registry.js';
import { type SubjectNames, subjectNaming } from './subject-names.js';
import { HEADER_BYTES, schemaIdOf, withSchemaId } from './wire-format.js';

/** What all serdes of a registry are given. */
export interface RegistrySerdeOptions {
  readonly registry: SchemaRegistry;
  /** Default: the registry's. */
  readonly subjectNames?: SubjectNames;
  /** Default: the registry's. */
  readonly autoRegister?: boolean;
}

/** Reads the payload that lies at [start, end). */
export type ReadPayload<T> = (bytes: Buffer, start: number, end: number) => T;

/** What a kind of schema knows to do. */
export interface SchemaFormat<T> {
  /** The serde's own schema as it is registered. */
  readonly info: SchemaInfo;
  /** The same with what it refers to. */
  readonly own: KnownSchema;
  readonly recordName: string | null;
  write(value: T): Uint8Array;
  /** @throws if values of that schema are never ones of the serde's */
  readerOf(writer: KnownSchema): ReadPayload<T>;
}

export function registrySerde<T>(format: SchemaFormat<T>, options: RegistrySerdeOptions): Serde<T> {
  const serde = new RegistrySerde(format, options);
  return Object.freeze({
    serialize: (value: T) => serde.write(value),
    deserialize: (bytes: Uint8Array) => serde.read(asBuffer(bytes), 0, bytes.length),
    deserializeRange: (bytes: Buffer, start: number, end: number) => serde.read(bytes, start, end),
    lookups: Object.freeze({
      forTopic: (place: SerdePlace) => serde.lookUpTopic(place),
      forBytes: (bytes: Buffer, start: number, end: number) => serde.lookUpBytes(bytes, start, end),
    }),
  });
}

class RegistrySerde<T> {
  private readonly format: SchemaFormat<T>;
  private readonly registry: SchemaRegistry;
  private readonly autoRegister: boolean;
  private readonly subjectOf: (place: SerdePlace) => string;
  private readonly readers = new Map<number, ReadPayload<T>>();
  private readonly subjects = new Map<string, Promise<void> | undefined>();
  private id: number | null = null;
  private firstSubject = '';

  constructor(format: SchemaFormat<T>, { registry, subjectNames, autoRegister }: RegistrySerdeOptions) {
    this.format = format;
    this.registry = registry;
    this.autoRegister = autoRegister ?? registry.autoRegister;
    this.subjectOf = subjectNaming(subjectNames ?? registry.subjectNames, format.recordName);
  }

  write(value: T): Uint8Array {
    if (this.id === null)
      throw new Error('the schema has no id yet: it is looked up before the first write to a topic');
    return withSchemaId(this.id, this.format.write(value));
  }

  read(bytes: Buffer, start: number, end: number): T {
    const id = schemaIdOf(bytes, start, end);
    if (id === null) throw new RangeError('the bytes do not begin with a zero byte and a schema id');
    return this.readerOf(id)(bytes, start + HEADER_BYTES, end);
  }

  lookUpTopic(place: SerdePlace): Promise<void> | undefined {
    const subject = this.subjectOf(place);
    if (this.subjects.has(subject)) return this.subjects.get(subject);
    const lookUp = this.takeId(subject).then(
      () => {
        this.subjects.set(subject, undefined);
      },
      (thrown: unknown) => {
        this.subjects.delete(subject);
        throw thrown;
      },
    );
    this.subjects.set(subject, lookUp);
    return lookUp;
  }

  lookUpBytes(bytes: Buffer, start: number, end: number): Promise<void> | undefined {
    const id = schemaIdOf(bytes, start, end);
    return id === null || this.readers.has(id) ? undefined : this.registry.load(id);
  }

  private async takeId(subject: string): Promise<void> {
    const id = await this.registry.idOf(subject, this.format.info, this.autoRegister);
    this.registry.remember(id, this.format.own);
    if (this.id === null) {
      this.id = id;
      this.firstSubject = subject;
    } else if (this.id !== id) {
      throw new SerializationError(
        `one schema has id ${this.id} under subject ${this.firstSubject} and ${id} under ${subject}`,
        {
          details: { subject, id, firstSubject: this.firstSubject, firstId: this.id },
          remedy:
            "Register the schema with one text everywhere, or use a serde of its own for each topic; with a MockClient, which has an id for each subject, name subjects by the record: schemaRegistry({ client, subjectNames: 'record' }).",
        },
      );
    }
  }

  private readerOf(id: number): ReadPayload<T> {
    const known = this.readers.get(id);
    if (known !== undefined) return known;
    const schema = this.registry.schema(id);
    if (schema === undefined) throw new Error(`schema ${id} was not looked up before bytes of it are read`);
    if (schema === null) throw new RangeError(`the registry has no schema ${id}`);
    const reader = this.compiled(id, schema);
    this.readers.set(id, reader);
    return reader;
  }

  /** A reader, or one that says of each record why there is none. */
  private compiled(id: number, schema: KnownSchema): ReadPayload<T> {
    try {
      if (schema.type !== this.format.own.type)
        throw new TypeError(`it is a schema of ${schema.type}, not of ${this.format.own.type}`);
      return this.format.readerOf(schema);
    } catch (thrown) {
      const why = messageOf(thrown);
      return () => {
        throw new TypeError(`schema ${id} can not be read as the serde's: ${why}`, { cause: thrown });
      };
    }
  }
}
