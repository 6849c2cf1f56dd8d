import { kindOfValue } from '../model/kind-of-value.js';
import type { Serde } from './serde.js';

const BYTES: Serde<Uint8Array> = Object.freeze({
  format: 'bytes',
  accepts: () => true,
  serialize: (value: Uint8Array) => {
    if (!(value instanceof Uint8Array)) throw new TypeError(`a Uint8Array is wanted, not ${kindOfValue(value)}`);
    return value;
  },
  // A copy: the value may be kept for long, or changed, while the fetched buffer belongs to all records of its batch.
  deserialize: (bytes: Uint8Array) => Uint8Array.prototype.slice.call(bytes),
});

/** Bytes as they are. What user code gets is its own copy. Kafka: `ByteArraySerializer`, `ByteArrayDeserializer`. */
export function bytes(): Serde<Uint8Array> {
  return BYTES;
}
