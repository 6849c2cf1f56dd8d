import { asBuffer, byteKey, type PackedBytes } from '../model/byte-key.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { Serde } from './serde.js';

const STRING: Serde<string> = Object.freeze({
  format: 'string',
  immutable: true,
  accepts: () => true,
  pack: (value: string) => {
    expectString(value);
    return isAscii(value) ? (value as PackedBytes) : byteKey(Buffer.from(value, 'utf8'));
  },
  serialize: (value: string) => {
    expectString(value);
    return Buffer.from(value, 'utf8');
  },
  deserialize: (bytes: Uint8Array) => asBuffer(bytes).toString('utf8'),
  deserializeRange: (bytes: Buffer, start: number, end: number) => bytes.toString('utf8', start, end),
});

function expectString(value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`a string is wanted, not ${kindOfValue(value)}`);
}

/** ASCII text is its own bytes. */
function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

/**
 * Text as UTF-8. Kafka: `StringSerializer`, `StringDeserializer`.
 *
 * Reading never fails: malformed bytes become U+FFFD, as in Java. A text that nobody changed is written with the bytes that
 * were read. A lone surrogate is written as U+FFFD (Java writes `?`).
 */
export function string(): Serde<string> {
  return STRING;
}
