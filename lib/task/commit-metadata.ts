/**
 * What is committed beside an input's offset: its partition time, in Kafka Streams' format, so that either system can go on
 * where the other stopped. Kafka: `TopicPartitionMetadata` (version 2: KIP-825).
 *
 * Base64 of: 1 byte version · 8 bytes partition time, big-endian · processor metadata (version 2), which is carried unchanged.
 */
const VERSION = 2;
const TIME_END = 9;
const NO_BYTES = new Uint8Array(0);

export interface CommitMetadata {
  /** Greatest timestamp of the partition so far; −1 if unknown. */
  readonly partitionTimeMs: number;
  readonly processorMetadata: Uint8Array;
}

const UNKNOWN: CommitMetadata = Object.freeze({ partitionTimeMs: -1, processorMetadata: NO_BYTES });

/** The text to commit. */
export function encodeCommitMetadata(metadata: CommitMetadata): string {
  const bytes = Buffer.alloc(TIME_END + metadata.processorMetadata.length);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeBigInt64BE(BigInt(metadata.partitionTimeMs), 1);
  bytes.set(metadata.processorMetadata, TIME_END);
  return bytes.toString('base64');
}

/** Reads a committed text. One that is empty, of another version or damaged says nothing: partition time −1, as in Kafka Streams. */
export function decodeCommitMetadata(text: string): CommitMetadata {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return UNKNOWN;
  const bytes = Buffer.from(text, 'base64');
  const version = bytes[0];
  if (bytes.length < TIME_END || (version !== 1 && version !== VERSION)) return UNKNOWN;
  const partitionTimeMs = Number(bytes.readBigInt64BE(1));
  if (!Number.isSafeInteger(partitionTimeMs) || partitionTimeMs < 0) return UNKNOWN;
  return { partitionTimeMs, processorMetadata: version === 1 ? NO_BYTES : bytes.subarray(TIME_END) };
}
