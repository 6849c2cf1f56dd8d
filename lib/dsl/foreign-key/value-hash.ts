import { Cell } from '../../serde/cell.js';
import type { Serde } from '../../serde/serde.js';
import { murmur3 } from './murmur3.js';

/**
 * The hash by which both ends of a foreign-key join know a left value: of the bytes that the serde makes of the value. A value that was
 * read may have come from other bytes (JSON with spaces), and only one of the ends may have them: so they are made anew.
 */
export function hashOf<V>(serde: Serde<V>, value: Cell<V>): Uint8Array {
  const made = serde.immutable === true ? value : Cell.of(value.value);
  return murmur3(made.bytes(serde) ?? new Uint8Array(0));
}
