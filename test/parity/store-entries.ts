/** Content and changelog keys of stores as cases write them. */

import { INSTRUCTION, type Subscription } from '../../lib/dsl/foreign-key/subscription.js';
import type {
  Entries,
  KeyValueStore,
  SessionStore,
  StateStore,
  StoreKind,
  Windowed,
  WindowStore,
} from '../../lib/index.js';
import type { NonJoinedKey, SidedValue } from '../../lib/state/non-joined-layout.js';

/** All entries of a store in its own order; versioned stores are not listed. */
export function storeEntries(kind: StoreKind, store: StateStore): Entries<unknown, unknown> {
  switch (kind) {
    case 'window':
    case 'timestampedWindow':
      return (store as WindowStore<unknown, unknown>).all();
    case 'session':
      return (store as SessionStore<unknown, unknown>).fetchRange(null, null);
    case 'versioned':
    case 'suppressed':
    case 'waiting':
      return nothing();
    case 'nonJoined':
      return nonJoinedEntries(store as KeyValueStore<NonJoinedKey<unknown>, readonly SidedValue[]>);
    case 'keyValue':
    case 'timestampedKeyValue':
      return (store as KeyValueStore<unknown, unknown>).all();
  }
}

/** The end of windows without end, in Kafka, as JavaScript reads it. */
const KAFKA_GREATEST_TIME = 2 ** 63;

/** What cases write of a foreign-key join's subscriptions: the text of Kafka Streams' object. */
export function subscriptionText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('primaryKey' in value)) return value;
  const { instruction, hash, primaryKey, primaryPartition } = value as Subscription<unknown>;
  const name = Object.keys(INSTRUCTION).find((each) => INSTRUCTION[each as keyof typeof INSTRUCTION] === instruction);
  const bytes = hash === null ? null : Buffer.from(hash);
  const halves = bytes === null ? 'null' : `[${bytes.readBigInt64BE(0)}, ${bytes.readBigInt64BE(8)}]`;
  const shown = [
    `version=1, primaryKey=${primaryKey.value}`,
    `instruction=${JAVA_NAMES[name ?? '']}`,
    `hash=${halves}`,
  ];
  return `SubscriptionWrapper{${shown.join(', ')}, primaryPartition=${primaryPartition}}`;
}

const JAVA_NAMES: Readonly<Record<string, string>> = {
  deleteKeyNoPropagate: 'DELETE_KEY_NO_PROPAGATE',
  deleteKeyAndPropagate: 'DELETE_KEY_AND_PROPAGATE',
  propagateNullIfNoForeignValue: 'PROPAGATE_NULL_IF_NO_FK_VAL_AVAILABLE',
  propagateOnlyIfForeignValue: 'PROPAGATE_ONLY_IF_FK_VAL_AVAILABLE',
};

const BACKSLASH = 0x5c;

/** Bytes as Java's `Bytes` shows them. */
export function bytesText(key: unknown): unknown {
  if (!(key instanceof Uint8Array)) return key;
  const shown = [...key].map((byte) => {
    return byte >= 0x20 && byte <= 0x7e && byte !== BACKSLASH ? String.fromCharCode(byte) : `\\x${hex(byte)}`;
  });
  return shown.join('');
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}

/** A windowed key as `{ key, start, end }`; any other as it is. */
export function windowedKey(key: unknown): unknown {
  if (!isWindowed(key)) return key;
  const { startMs, endMs } = key.window;
  return { key: key.key, start: startMs, end: endMs === Number.MAX_SAFE_INTEGER ? KAFKA_GREATEST_TIME : endMs };
}

/** A windowed changelog key: of window stores without end, and with the sequence number where there is one. */
export function changelogKey(key: unknown): unknown {
  if (!isWindowed(key)) return key;
  if (!('sequence' in key)) return windowedKey(key);
  return { key: key.key, start: key.window.startMs, ...(key.sequence === 0 ? {} : { seq: key.sequence }) };
}

function isWindowed(key: unknown): key is Windowed<unknown> & { readonly sequence?: unknown } {
  return typeof key === 'object' && key !== null && 'window' in key;
}

/** As the text that Java makes of key and value, each value of a list for itself. */
async function* nonJoinedEntries(
  store: KeyValueStore<NonJoinedKey<unknown>, readonly SidedValue[]>,
): AsyncGenerator<{ readonly key: unknown; readonly value: unknown }> {
  for await (const { key, value: values } of store.all()) {
    for (const { side, value } of values)
      yield { key: `<${key.side},${key.key}:${key.timestampMs}>`, value: `<${side},${value}>` };
  }
}

async function* nothing(): AsyncGenerator<never> {}
