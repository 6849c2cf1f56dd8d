import type { Serde } from './serde.js';

const STRING: Serde<string> = Object.freeze({
  format: 'string',
  immutable: true,
  accepts: () => true,
  serialize: (value: string) => {
    if (typeof value !== 'string') throw new TypeError(`a string is wanted, not a ${typeof value}`);
    return Buffer.from(value, 'utf8');
  },
  deserialize: (bytes: Uint8Array) => asBuffer(bytes).toString('utf8'),
  deserializeRange: (bytes: Buffer, start: number, end: number) => bytes.toString('utf8', start, end),
});

/**
 * Text as UTF-8. Kafka: `StringSerializer`, `StringDeserializer`.
 *
 * Reading never fails: malformed bytes become U+FFFD, as in Java. A text that nobody changed is written with the bytes that
 * were read. A lone surrogate is written as U+FFFD (Java writes `?`).
 */
export function string(): Serde<string> {
  return STRING;
}

/** The bytes as a buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
