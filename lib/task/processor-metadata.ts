/**
 * What a task has come to besides offsets, stores and partition times: named whole numbers, committed beside its inputs' offsets.
 * Kafka: `ProcessorMetadata` (KIP-825).
 *
 * 4 bytes count · for each: 4 bytes length, name, 8 bytes number; big-endian. Numbers only grow: of two the greater is the newer.
 * Names that are not ours are carried along, so that an application can move to Kafka Streams and back.
 */
const COUNT_BYTES = 4;
const LENGTH_BYTES = 4;
const NUMBER_BYTES = 8;

export type ProcessorMetadata = ReadonlyMap<string, bigint>;

export function encodeProcessorMetadata(metadata: ProcessorMetadata): Uint8Array {
  if (metadata.size === 0) return new Uint8Array(0);
  const parts = [Buffer.alloc(COUNT_BYTES)];
  parts[0]?.writeInt32BE(metadata.size);
  for (const [name, number] of metadata) {
    const text = Buffer.from(name, 'utf8');
    const part = Buffer.alloc(LENGTH_BYTES + text.length + NUMBER_BYTES);
    part.writeInt32BE(text.length);
    part.set(text, LENGTH_BYTES);
    part.writeBigInt64BE(number, LENGTH_BYTES + text.length);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Reads what was committed. Bytes that are damaged say nothing. */
export function decodeProcessorMetadata(bytes: Uint8Array): ProcessorMetadata {
  const metadata = new Map<string, bigint>();
  const buffer = Buffer.from(bytes);
  if (buffer.length < COUNT_BYTES) return metadata;
  let at = COUNT_BYTES;
  for (let left = buffer.readInt32BE(0); left > 0; left -= 1) {
    if (at + LENGTH_BYTES > buffer.length) return new Map();
    const end = at + LENGTH_BYTES + buffer.readInt32BE(at);
    if (end < at + LENGTH_BYTES || end + NUMBER_BYTES > buffer.length) return new Map();
    metadata.set(buffer.toString('utf8', at + LENGTH_BYTES, end), buffer.readBigInt64BE(end));
    at = end + NUMBER_BYTES;
  }
  return metadata;
}

/** All names of several, each with its greatest number. */
export function mergeProcessorMetadata(all: Iterable<ProcessorMetadata>): ProcessorMetadata {
  const merged = new Map<string, bigint>();
  for (const metadata of all) {
    for (const [name, number] of metadata) {
      const before = merged.get(name);
      if (before === undefined || before < number) merged.set(name, number);
    }
  }
  return merged;
}
