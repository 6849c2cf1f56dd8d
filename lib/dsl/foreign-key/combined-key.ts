/** Keys of the store of subscriptions: 4 bytes length of the foreign key, foreign key, left key. Kafka: `CombinedKeySchema`. */
import { afterPrefix, type ByteKey } from '../../model/byte-key.js';
import type { KeyRange } from '../../state/byte-store.js';
import { INT_BYTES, intAt, packInt } from '../../state/packed-numbers.js';

export function combinedKey(foreignKey: ByteKey, primaryKey: ByteKey): ByteKey {
  return `${prefixOf(foreignKey)}${primaryKey}` as ByteKey;
}

/** All subscriptions of a foreign key, by their left keys' bytes. */
export function subscriptionsOf(foreignKey: ByteKey): KeyRange {
  const prefix = prefixOf(foreignKey);
  return { from: prefix, to: afterPrefix(prefix) };
}

/** The left key's bytes. */
export function primaryKeyIn(combined: ByteKey): ByteKey {
  return combined.slice(INT_BYTES + intAt(combined, 0)) as ByteKey;
}

function prefixOf(foreignKey: ByteKey): ByteKey {
  return `${packInt(foreignKey.length)}${foreignKey}` as ByteKey;
}
