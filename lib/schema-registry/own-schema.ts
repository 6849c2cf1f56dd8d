import { TopologyError } from '../model/errors.js';
import { messageOf } from '../model/thrown.js';
import type { SchemaInfo } from './registry-client.js';
import type { KnownSchema } from './schema-registry.js';

/** A schema that a serde's own refers to: where it is registered, and its text. */
export interface ReferencedSchema {
  /** As the schema names it: a full name in Avro, an import in Protobuf, a `$ref` in JSON Schema. */
  readonly name: string;
  readonly subject: string;
  readonly version: number;
  readonly schema: string;
}

/** A serde's own schema, as it is registered and as it is read with. Those referred to come before those that refer to them. */
export function ownSchema(
  type: 'AVRO' | 'PROTOBUF' | 'JSON',
  text: string,
  references: readonly ReferencedSchema[] = [],
): { readonly info: SchemaInfo; readonly own: KnownSchema } {
  const named = references.map(({ name, subject, version }) => ({ name, subject, version }));
  return {
    info: { schema: text, schemaType: type, ...(named.length === 0 ? {} : { references: named }) },
    own: { type, text, references: references.map(({ name, schema }) => ({ name, text: schema })) },
  };
}

/** Calls `parse`. @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if the schema is none */
export function parsed<T>(type: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new TopologyError(`the ${type} schema is none: ${messageOf(cause)}`, {
      cause,
      remedy: 'Correct the schema that the serde was given.',
    });
  }
}
