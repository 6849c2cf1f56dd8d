/** `millrace/schema-registry/protobuf`: needs `protobufjs` beside the registry's client. */
export { type ProtobufOptions, protobuf } from './protobuf-serde.js';
