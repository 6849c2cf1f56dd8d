/**
 * Confluent's wire format: a zero byte, 4 bytes schema id, and the payload. Protobuf's payload begins with the path to the message in
 * its file: a count and so many indexes as zig-zag varints, or a single 0 for the first message.
 */
export const HEADER_BYTES = 5;
const MAGIC = 0;
const VARINT_BYTES_MAX = 5;
/** Messages within messages. */
const MESSAGE_DEPTH_MAX = 100;

/** The schema id of bytes [start, end), or null if they have none. */
export function schemaIdOf(bytes: Buffer, start: number, end: number): number | null {
  if (end - start < HEADER_BYTES || bytes[start] !== MAGIC) return null;
  return bytes.readInt32BE(start + 1);
}

export function withSchemaId(id: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  bytes[0] = MAGIC;
  bytes.writeInt32BE(id, 1);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** The path to a message: its index among the file's messages, then among that message's, and so on. */
export function writeMessagePath(path: readonly number[]): Buffer {
  if (path.length === 1 && path[0] === 0) return Buffer.of(0);
  return Buffer.from([path.length, ...path].flatMap(zigZagVarint));
}

/** @throws {RangeError} if the bytes are no path */
export function readMessagePath(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly path: readonly number[]; readonly payloadStart: number } {
  let at = start;
  const next = () => {
    let rest = 0;
    for (let index = 0; index < VARINT_BYTES_MAX && at < end; index += 1) {
      const byte = bytes[at] as number;
      at += 1;
      rest |= (byte & 0x7f) << (7 * index);
      if (byte < 0x80) return (rest >>> 1) ^ -(rest & 1);
    }
    throw new RangeError('the path to the message is cut short');
  };
  const count = next();
  if (count < 0 || count > MESSAGE_DEPTH_MAX) throw new RangeError(`${count} is no number of message indexes`);
  const path = count === 0 ? [0] : Array.from({ length: count }, next);
  return { path, payloadStart: at };
}

function zigZagVarint(value: number): number[] {
  const bytes: number[] = [];
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return bytes;
}
