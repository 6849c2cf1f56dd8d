/**
 * Compression by node:zlib. The numbers are part of the snapshot format and are never given a new meaning:
 * 0 as it is · 1 zlib (RFC 1950) · 2 Zstandard (RFC 8878), where this Node has it.
 */
import * as zlib from 'node:zlib';
import { InternalError, SnapshotCorruptedError } from '../../model/errors.js';
import type { Codec } from '../host.js';

/** Bytes that one call may decompress to: a broken length must not take all memory. */
const MAX_DECOMPRESSED_BYTES = 256 * 1024 * 1024;

type Coder = (bytes: Uint8Array) => Uint8Array;
interface Pair {
  readonly compress: Coder;
  readonly decompress: Coder;
}

/** Node 20 has no Zstandard and its types do not know it: looked up by name. */
interface ZstdZlib {
  readonly zstdCompressSync?: Coder;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;
}

const limit = { maxOutputLength: MAX_DECOMPRESSED_BYTES };

/** Makes the codec of this Node; it prefers Zstandard, then zlib at its fastest level. */
export function createNodeCodec(): Codec {
  const coders = new Map<number, Pair>();
  const { zstdCompressSync, zstdDecompressSync } = zlib as ZstdZlib;
  if (zstdCompressSync !== undefined && zstdDecompressSync !== undefined) {
    coders.set(2, {
      compress: (bytes) => zstdCompressSync(bytes),
      decompress: (bytes) => zstdDecompressSync(bytes, limit),
    });
  }
  coders.set(1, {
    compress: (bytes) => zlib.deflateSync(bytes, { level: zlib.constants.Z_BEST_SPEED }),
    decompress: (bytes) => zlib.inflateSync(bytes, limit),
  });
  coders.set(0, { compress: (bytes) => bytes, decompress: (bytes) => bytes });

  return {
    ids: [...coders.keys()],
    compress(id, bytes) {
      const coder = coders.get(id);
      if (coder === undefined) throw new InternalError(`there is no codec ${id} to write with`, { details: { id } });
      return coder.compress(bytes);
    },
    decompress(id, bytes) {
      const coder = coders.get(id);
      if (coder === undefined) throw new SnapshotCorruptedError(`codec ${id} is unknown here`, { details: { id } });
      try {
        return coder.decompress(bytes);
      } catch (cause) {
        throw new SnapshotCorruptedError(`bytes are not of codec ${id}`, {
          cause,
          details: { id, sizeBytes: bytes.length },
        });
      }
    },
  };
}
