import type { Serde } from '../../serde/serde.js';
import { ownSchema, parsed, type ReferencedSchema } from '../own-schema.js';
import { type ReadPayload, type RegistrySerdeOptions, registrySerde } from '../registry-serde.js';
import type { KnownSchema } from '../schema-registry.js';
import { readMessagePath, writeMessagePath } from '../wire-format.js';
import { messageFrom, plainValue } from './message-values.js';
import { fullName, messageAt, messageOf, parseProtoFile, pathOf } from './proto-file.js';

export interface ProtobufOptions extends RegistrySerdeOptions {
  /** The text of the `.proto` file. */
  readonly schema: string;
  /** Full name of the message, or its name within the file's package; default: the file's first. */
  readonly message?: string;
  /** Files that the file imports; those of `google/protobuf/` that everybody has need not be given. */
  readonly references?: readonly ReferencedSchema[];
  /** Whether fields are named as in the file; default false: in camel case, as in Protobuf's own JSON. */
  readonly keepCase?: boolean;
}

/**
 * Messages of a `.proto` file, byte for byte as `KafkaProtobufSerializer` writes them. What was written with another version of the file
 * is read with this one, as Protobuf has it; another message than this is unreadable, and the deserialisation handler decides.
 *
 * Enums are names, 64-bit numbers are numbers (beyond ±(2^53 − 1) they are refused), bytes are a Uint8Array. A field that is not there
 * has its default, a message null; one that is `optional` or of a `oneof` is absent.
 *
 * @param T the values as the program sees them; nothing checks that it is what the file says
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if the text is no such file, or has no such message
 *
 * @example
 * const order = protobuf<Order>({ registry, schema: readFileSync('order.proto', 'utf8'), message: 'shop.Order' });
 */
export function protobuf<T>({
  schema,
  message: name,
  references,
  keepCase = false,
  ...options
}: ProtobufOptions): Serde<T> {
  const { info, own } = ownSchema('PROTOBUF', schema, references);
  const { type, path } = parsed('Protobuf', () => {
    const file = parseProtoFile(own, keepCase);
    const message = messageOf(file, name);
    return { type: message, path: writeMessagePath(pathOf(file, message)) };
  });
  const recordName = fullName(type);
  return registrySerde<T>(
    {
      info,
      own,
      recordName,
      write: (value) => Buffer.concat([path, type.encode(messageFrom(type, value)).finish()]),
      readerOf: (writer): ReadPayload<T> => {
        const expectOwn = messageCheck(writer, recordName);
        return (bytes, start, end) => {
          const { path: written, payloadStart } = readMessagePath(bytes, start, end);
          expectOwn(written);
          return plainValue(type, type.decode(bytes.subarray(payloadStart, end))) as T;
        };
      },
    },
    options,
  );
}

/** Holds the message that bytes say they are to the serde's own, by its name in the writer's file. */
function messageCheck(writer: KnownSchema, wanted: string): (path: readonly number[]) => void {
  const file = parseProtoFile(writer, true);
  const names = new Map<string, string>();
  return (path) => {
    const key = path.join('.');
    let name = names.get(key);
    if (name === undefined) {
      const message = messageAt(file, path);
      if (message === undefined) throw new RangeError(`the file of the schema has no message at ${key}`);
      name = fullName(message);
      names.set(key, name);
    }
    if (name !== wanted) throw new TypeError(`it is a ${name}, not a ${wanted}`);
  };
}
