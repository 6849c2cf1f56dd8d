/** The compressions of record batches by the number and the name that Kafka has for them (`CompressionType`). */
import { createGzipCodec } from './gzip.js';
import { lz4Codec } from './lz4-frame.js';
import { snappyCodec } from './snappy-stream.js';
import { createZstdCodec } from './zstd.js';

export type CompressionName = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

/** One way to compress the records of a batch. */
export interface RecordCodec {
  /** Number in the attributes of a batch. */
  readonly id: number;
  readonly name: CompressionName;
  /**
   * @param maxBytes bound of the result
   * @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD · {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE
   */
  decompress(bytes: Buffer, maxBytes: number): Buffer;
  /** Absent where this Node can only read it: Zstandard before Node 22.15. */
  readonly compress: ((bytes: Buffer) => Buffer) | undefined;
}

export interface RecordCodecs {
  byId(id: number): RecordCodec | undefined;
  /** Undefined for 'none', which is no codec. */
  byName(name: CompressionName): RecordCodec | undefined;
}

/** All codecs of this Node. */
export function createRecordCodecs(): RecordCodecs {
  const codecs: readonly RecordCodec[] = [createGzipCodec(), snappyCodec, lz4Codec, createZstdCodec()];
  const byId = new Map(codecs.map((codec) => [codec.id, codec]));
  const byName = new Map(codecs.map((codec) => [codec.name, codec]));
  return { byId: (id) => byId.get(id), byName: (name) => byName.get(name) };
}
