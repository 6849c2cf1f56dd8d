/**
 * Compression by node:zlib. The numbers are part of the snapshot format and are never given a new meaning:
 * 0 as it is · 1 zlib (RFC 1950) · 2 Zstandard (RFC 8878), where this Node has it.
 */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { InternalError, SnapshotCorruptedError } from '../../model/errors.js';
import type { Codec } from '../host.js';

/** Bytes that one call may decompress to: a broken length must not take all memory. */
const MAX_DECOMPRESSED_BYTES = 256 * 1024 * 1024;

/** Memory that is taken at a time where nobody says how much comes out, and at most; a little more than comes out shows that it is all. */
const PIECE_BYTES = 64 * 1024;
const PIECE_BYTES_MAX = 16 * 1024 * 1024;
const PIECE_MORE_BYTES = 64;

type Coder = (bytes: Uint8Array) => Uint8Array;
interface Pair {
  readonly compress: Coder;
  readonly decompress: (bytes: Uint8Array, options: Limit) => Uint8Array;
  readonly decompressAside: (bytes: Uint8Array, options: Limit) => Promise<Uint8Array>;
}

/** Node 20 has no Zstandard and its types do not know it: looked up by name. */
interface ZstdZlib {
  readonly zstdCompressSync?: Coder;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: Limit) => Uint8Array;
  readonly zstdDecompress?: Later;
}

type Limit = { readonly maxOutputLength: number; readonly chunkSize: number };
type Later = (bytes: Uint8Array, options: Limit, done: (error: Error | null, bytes: Buffer) => void) => void;

const inflateAside = promisify(zlib.inflate as Later);

/**
 * Makes the codec of this Node; it prefers Zstandard, then zlib at its fastest level.
 *
 * @param threads whether it may work on other threads, whose work ends when it ends; false in virtual time
 */
export function createNodeCodec(threads = true): Codec {
  const coders = new Map<number, Pair>();
  const { zstdCompressSync, zstdDecompressSync, zstdDecompress } = zlib as ZstdZlib;
  if (zstdCompressSync !== undefined && zstdDecompressSync !== undefined && zstdDecompress !== undefined) {
    const aside = promisify(zstdDecompress);
    coders.set(2, {
      compress: (bytes) => zstdCompressSync(bytes),
      decompress: zstdDecompressSync,
      decompressAside: aside,
    });
  }
  coders.set(1, {
    compress: (bytes) => zlib.deflateSync(bytes, { level: zlib.constants.Z_BEST_SPEED }),
    decompress: zlib.inflateSync,
    decompressAside: inflateAside,
  });
  coders.set(0, { compress: (bytes) => bytes, decompress: (bytes) => bytes, decompressAside: async (bytes) => bytes });
  const coderOf = (id: number): Pair => {
    const coder = coders.get(id);
    if (coder === undefined) throw new SnapshotCorruptedError(`codec ${id} is unknown here`, { details: { id } });
    return coder;
  };
  const decompressAside = async (id: number, bytes: Uint8Array, sizeBytes?: number) => {
    const coder = coderOf(id);
    try {
      return await coder.decompressAside(bytes, limitOf(sizeBytes));
    } catch (cause) {
      throw notOf(id, bytes, cause);
    }
  };

  return {
    ids: [...coders.keys()],
    compress(id, bytes) {
      const coder = coders.get(id);
      if (coder === undefined) throw new InternalError(`there is no codec ${id} to write with`, { details: { id } });
      return coder.compress(bytes);
    },
    decompress(id, bytes, sizeBytes) {
      const coder = coderOf(id);
      try {
        return coder.decompress(bytes, limitOf(sizeBytes));
      } catch (cause) {
        throw notOf(id, bytes, cause);
      }
    },
    ...(threads ? { decompressAside } : {}),
  };
}

function limitOf(sizeBytes: number = PIECE_BYTES): Limit {
  const chunkSize = Math.min(PIECE_BYTES_MAX, sizeBytes) + PIECE_MORE_BYTES;
  return { maxOutputLength: MAX_DECOMPRESSED_BYTES, chunkSize };
}

function notOf(id: number, bytes: Uint8Array, cause: unknown): SnapshotCorruptedError {
  return new SnapshotCorruptedError(`bytes are not of codec ${id}`, {
    cause,
    details: { id, sizeBytes: bytes.length },
  });
}
