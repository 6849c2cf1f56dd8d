import { createHash } from 'node:crypto';
import type { Digest } from '../host.js';
import { crc32c } from './crc32c.js';

/** Checksums: CRC-32C in JavaScript, SHA-256 by node:crypto. */
export function createNodeDigest(): Digest {
  return { crc32c, sha256: (bytes) => createHash('sha256').update(bytes).digest('hex') };
}
