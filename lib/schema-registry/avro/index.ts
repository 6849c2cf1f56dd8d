/** `millrace/schema-registry/avro`: needs `avsc` beside the registry's client. */
export { type AvroOptions, type AvroSchema, avro } from './avro-serde.js';
