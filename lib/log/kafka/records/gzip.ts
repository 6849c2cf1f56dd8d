/** Codec 1: gzip (RFC 1952), by node:zlib. */
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { guarded } from './codec-errors.js';
import type { RecordCodec } from './record-codec.js';

export function createGzipCodec(): RecordCodec {
  return {
    id: 1,
    name: 'gzip',
    decompress: (bytes, maxBytes) => guarded('gzip', maxBytes, () => gunzipSync(bytes, { maxOutputLength: maxBytes })),
    compress: (bytes) => gzipSync(bytes, { level: constants.Z_DEFAULT_COMPRESSION }),
  };
}
