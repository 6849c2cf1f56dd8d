/** `millrace/schema-registry/json-schema`: needs `ajv` beside the registry's client. */
export { type JsonSchemaOptions, jsonSchema } from './json-schema-serde.js';
