/** Content and changelog keys of stores as cases write them. */
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
