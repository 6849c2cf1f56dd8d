import { unpackInto } from '../model/byte-key.js';
import type { Serde } from '../serde/serde.js';
import type { StoredValue } from './byte-store.js';
import { CopiedEntry } from './copied-entry.js';
import { StoreEntry } from './slot.js';

/** Values up to this size are laid out in a buffer that is used again and again. */
const SCRATCH_BYTES = 4096;
const scratch = Buffer.allocUnsafe(SCRATCH_BYTES);

/**
 * The value of an entry, decoded.
 *
 * A value in memory is decoded without a buffer of its own where the serde lets nothing of the bytes escape (`immutable`, and
 * able to read a range).
 *
 * @throws whatever the serde throws
 */
export function readStored<V>(stored: StoredValue, serde: Serde<V>): V {
  if (serde.deserializeRange !== undefined) {
    if (stored instanceof CopiedEntry) return serde.deserializeRange(stored.bytes, stored.start, stored.end);
    if (stored instanceof StoreEntry && serde.immutable === true) {
      const { packed } = stored;
      if (packed !== null && packed.length <= SCRATCH_BYTES) {
        unpackInto(scratch, 0, packed);
        return serde.deserializeRange(scratch, 0, packed.length);
      }
    }
  }
  return serde.deserialize(stored.value);
}
