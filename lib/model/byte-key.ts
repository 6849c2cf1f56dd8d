/**
 * Store keys: bytes written as a string, one character (U+0000 … U+00FF) a byte.
 *
 * JavaScript compares such strings as unsigned bytes, hashes them once and can hold them in a `Map`; V8 keeps them at one
 * byte a character. So "keyed by bytes, in order by bytes" costs no comparison code of ours and no copy a look-up.
 */
declare const byteKeyBrand: unique symbol;
/** The bytes of a key, one character a byte. */
export type ByteKey = string & { readonly [byteKeyBrand]: true };

/** Bytes of any kind in that form. Short ones are far cheaper so than in a buffer of their own. */
export type PackedBytes = ByteKey;
/** Bytes, in the form in which they are at hand. */
export type Encoded = Uint8Array | PackedBytes;

/** The key that bytes [start, end) of a buffer make. */
export function byteKeyAt(buffer: Buffer, start: number, end: number): ByteKey {
  return buffer.toString('latin1', start, end) as ByteKey;
}

/** The key that these bytes make. */
export function byteKey(bytes: Uint8Array): ByteKey {
  return asBuffer(bytes).toString('latin1') as ByteKey;
}

/** The bytes as a buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The bytes of a key. */
export function bytesOfKey(key: ByteKey): Uint8Array {
  return Buffer.from(key, 'latin1');
}

/** The least key above every key that starts with `prefix`; null if there is none (empty, or all bytes 255). */
export function afterPrefix(prefix: ByteKey): ByteKey | null {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end -= 1;
  if (end === 0) return null;
  return (prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1)) as ByteKey;
}

/** The least key above `key`. */
export function justAfter(key: ByteKey): ByteKey {
  return `${key}\u0000` as ByteKey;
}

/** Characters of a key that an error shows. */
const SHOWN_KEY_MAX = 100;

/** A key for people: what of it can be printed in quotes, else in hexadecimal; cut off where it is long. */
export function shownKey(key: ByteKey): string {
  const shown = key.slice(0, SHOWN_KEY_MAX);
  const more = key.length > SHOWN_KEY_MAX ? '…' : '';
  const isText = /^[\x20-\x7e]*$/.test(shown);
  return isText ? `'${shown}'${more}` : `0x${Buffer.from(shown, 'latin1').toString('hex')}${more}`;
}

/** Below this size, writing byte by byte is faster than a call out of JavaScript. */
const SHORT_BYTES = 32;

/** Writes packed bytes into a buffer, which must have room for them. */
export function unpackInto(buffer: Buffer, at: number, packed: PackedBytes): void {
  if (packed.length > SHORT_BYTES) {
    buffer.write(packed, at, 'latin1');
    return;
  }
  for (let index = 0; index < packed.length; index += 1) buffer[at + index] = packed.charCodeAt(index);
}
