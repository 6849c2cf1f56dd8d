/**
 * The port to a schema registry that speaks Confluent's API, in the words of Confluent's own client, whose `SchemaRegistryClient` (and
 * `MockClient`) fit as they are. Errors with a `status` are answers of the registry; any other means that it was not reached.
 */

/** A schema as a registry keeps it. */
export interface SchemaInfo {
  readonly schema: string;
  /** `AVRO` (also where it is absent), `PROTOBUF`, `JSON`. */
  readonly schemaType?: string;
  readonly references?: SchemaReference[];
}

/** Another schema that one refers to by `name`: a version of a subject. */
export interface SchemaReference {
  name: string;
  subject: string;
  version: number;
}

export interface RegistryClient {
  /** Registers a schema under a subject, if it is not there yet. @returns its id */
  register(subject: string, schema: SchemaInfo, normalize: boolean): Promise<number>;
  /** The id of a schema that is registered under a subject. */
  getId(subject: string, schema: SchemaInfo, normalize: boolean): Promise<number>;
  /** @param subject empty: whichever has it */
  getBySubjectAndId(subject: string, id: number): Promise<SchemaInfo>;
  getSchemaMetadata(subject: string, version: number, deleted: boolean): Promise<SchemaInfo>;
}
