/**
 * Long texts in items, compressed: a plan of ten thousand tasks, the report of a member that holds as many stores. An item of
 * DynamoDB has 400 KB, and each KiB of it is paid for with every write. Short texts stay texts, which a person can read.
 *
 * A packed text is a binary attribute of the same name, zlib (RFC 1950), which every Node can read and which checks its bytes.
 */
import { deflateSync, inflateSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { MalformedItemError } from '../../model/errors.js';
import type { Item } from './attributes.js';

/** Bytes from which on a text is packed. */
export const PACK_FROM_BYTES = 8 * 1024;
/** Bytes that a text unpacks to at most: a broken item must not take all memory. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** A text as an attribute. */
export function packed(value: string): AttributeValue {
  return Buffer.byteLength(value) < PACK_FROM_BYTES ? { S: value } : { B: deflateSync(value) };
}

/** Bytes that a text, packed or not, takes of its item. */
export function packedBytes(value: AttributeValue): number {
  return value.B?.length ?? Buffer.byteLength(value.S ?? '');
}

/**
 * The item with all its texts as texts.
 *
 * @throws {MalformedItemError} STREAMS_MALFORMED_ITEM for bytes that are no packed text
 */
export function unpacked(table: string, item: Item): Item {
  const entries = Object.entries(item).map(([name, value]): [string, AttributeValue] => {
    return [name, value.B === undefined ? value : { S: textIn(value.B, { table, attribute: name }) }];
  });
  return Object.fromEntries(entries);
}

function textIn(bytes: Uint8Array, where: { readonly table: string; readonly attribute: string }): string {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8');
  } catch (cause) {
    throw new MalformedItemError(`'${where.attribute}' of an item of ${where.table} is no packed text`, {
      cause,
      details: { ...where, sizeBytes: bytes.length },
    });
  }
}
