import { randomBytes } from 'node:crypto';
import type { Random } from '../host.js';

/** Bytes of one number: 53 bits, as many as a JavaScript number holds exactly. */
const BITS_53 = 2 ** 53;

/** Chance from the operating system. */
export function createNodeRandom(): Random {
  return {
    next() {
      const bytes = randomBytes(8);
      return (bytes.readUInt32LE(0) * 2 ** 21 + (bytes.readUInt32LE(4) >>> 11)) / BITS_53;
    },
    id: () => randomBytes(8).toString('hex'),
  };
}
