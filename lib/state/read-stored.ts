import type { Serde } from '../serde/serde.js';
import type { StoredValue } from './byte-store.js';
import { ImageEntry } from './slot.js';

/** Values up to this size are laid out in a buffer that is used again and again. */
const SCRATCH_BYTES = 4096;
const scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
/** Below this size, writing byte by byte is faster than a call out of JavaScript. */
const SHORT_BYTES = 24;

/**
 * The value of an entry, decoded.
 *
 * A committed value is decoded without a buffer of its own where the serde lets nothing of the bytes escape (`immutable`, and
 * able to read a range).
 *
 * @throws whatever the serde throws
 */
export function readStored<V>(stored: StoredValue, serde: Serde<V>): V {
  if (stored instanceof ImageEntry && serde.immutable === true && serde.deserializeRange !== undefined) {
    const { packed } = stored;
    if (packed.length <= SCRATCH_BYTES) {
      layOut(packed);
      return serde.deserializeRange(scratch, 0, packed.length);
    }
  }
  return serde.deserialize(stored.value);
}

function layOut(packed: string): void {
  if (packed.length > SHORT_BYTES) {
    scratch.write(packed, 'latin1');
    return;
  }
  for (let index = 0; index < packed.length; index += 1) scratch[index] = packed.charCodeAt(index);
}
