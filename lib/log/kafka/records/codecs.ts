/** The compressions of record batches that this Node reads, and those that it writes. */
import { createGzipCodec } from './gzip.js';
import { lz4Codec } from './lz4-frame.js';
import type { CompressionName, RecordCodec } from './record-codec.js';
import { snappyCodec } from './snappy-stream.js';
import { createZstdCodec } from './zstd.js';

export type { CompressionName, RecordCodec } from './record-codec.js';

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
