/**
 * `millrace/schema-registry`: schemas from a registry that speaks Confluent's API. The serdes are in `millrace/schema-registry/avro`,
 * `/protobuf` and `/json-schema`, each with a library of its own, so that only what is used has to be installed.
 */
export type { RegistryAddress } from './confluent-client.js';
export type { ReferencedSchema } from './own-schema.js';
export type { RegistryClient, SchemaInfo, SchemaReference } from './registry-client.js';
export type { RegistrySerdeOptions } from './registry-serde.js';
export { type SchemaRegistry, type SchemaRegistryOptions, schemaRegistry } from './schema-registry.js';
export type { SubjectNames } from './subject-names.js';
