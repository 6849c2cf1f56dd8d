/**
 * A key-value store as user code sees it, over a {@link ByteStore}: keys and values through serdes, the rest unchanged.
 *
 * What a value is (plain, or with a timestamp) is the business of its {@link ValueFormat}.
 */
import { type Awaitable, andThen } from '../model/awaitable.js';
import { afterPrefix, type ByteKey, byteKey, bytesOfKey } from '../model/byte-key.js';
import { DeserializationError, InvalidStateStoreError, SerializationError } from '../model/errors.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore, KeyRange, StoredValue } from './byte-store.js';
import type { Entries, KeyValue, KeyValueStore } from './state-store.js';

/** What a typed store asks of the task around it. */
export interface StoreClock {
  /** Timestamp of the record being processed; in a punctuation, the time it was called with. */
  timestampMs(): number;
}

/** How values lie in the bytes of a store. */
export interface ValueFormat<V> {
  decode(stored: StoredValue): V;
  encode(value: V): StoredValue;
  /** The changelog timestamp of a delete. */
  timestampOfDelete(): number;
}

export class TypedKeyValueStore<K, V> implements KeyValueStore<K, V> {
  readonly name: string;
  /** The same store without serdes, for the library's own operators. */
  readonly bytes: ByteStore;
  private readonly keySerde: Serde<K>;
  private readonly format: ValueFormat<V>;

  constructor(bytes: ByteStore, name: string, keySerde: Serde<K>, format: ValueFormat<V>) {
    this.bytes = bytes;
    this.name = name;
    this.keySerde = keySerde;
    this.format = format;
  }

  get(key: K): Awaitable<V | null> {
    return andThen(this.bytes.get(this.keyOf(key)), (stored) => this.decode(stored));
  }

  put(key: K, value: V | null): void {
    this.write(this.keyOf(key), value);
  }

  putIfAbsent(key: K, value: V | null): Awaitable<V | null> {
    const at = this.keyOf(key);
    return andThen(this.bytes.get(at), (stored) => {
      if (stored === null) this.write(at, value);
      return this.decode(stored);
    });
  }

  putAll(entries: Iterable<KeyValue<K, V | null>>): void {
    for (const { key, value } of entries) this.put(key, value);
  }

  delete(key: K): Awaitable<V | null> {
    const at = this.keyOf(key);
    return andThen(this.bytes.get(at), (stored) => {
      this.write(at, null);
      return this.decode(stored);
    });
  }

  range(from?: K | null, to?: K | null): Entries<K, V> {
    return this.between(from, to, false);
  }

  reverseRange(from?: K | null, to?: K | null): Entries<K, V> {
    return this.between(from, to, true);
  }

  prefixScan<P>(prefix: P, prefixSerde: { serialize(value: P): Uint8Array }): Entries<K, V> {
    const from = byteKey(prefixSerde.serialize(prefix));
    return this.scan({ from, to: afterPrefix(from) });
  }

  all(): Entries<K, V> {
    return this.scan({ from: null, to: null });
  }

  reverseAll(): Entries<K, V> {
    return this.scan({ from: null, to: null, reverse: true });
  }

  approximateNumEntries(): number {
    return this.bytes.size;
  }

  private between(from: K | null | undefined, to: K | null | undefined, reverse: boolean): Entries<K, V> {
    return this.scan({
      from: from === null || from === undefined ? null : this.keyOf(from),
      to: to === null || to === undefined ? null : justAfter(this.keyOf(to)),
      reverse,
    });
  }

  private async *scan(range: KeyRange): AsyncGenerator<KeyValue<K, V>> {
    for await (const entry of this.bytes.entries(range)) {
      yield { key: this.readKey(entry.key), value: this.read(entry) };
    }
  }

  private write(at: ByteKey, value: V | null): void {
    if (value === null || value === undefined) {
      this.bytes.put(at, null, this.format.timestampOfDelete());
      return;
    }
    const stored = this.serialized('value', () => this.format.encode(value));
    this.bytes.put(at, stored.value, stored.timestampMs);
  }

  private decode(stored: StoredValue | null): V | null {
    return stored === null ? null : this.read(stored);
  }

  private read(stored: StoredValue): V {
    return this.deserialized('value', () => this.format.decode(stored));
  }

  private readKey(key: ByteKey): K {
    return this.deserialized('key', () => this.keySerde.deserialize(bytesOfKey(key)));
  }

  private keyOf(key: K): ByteKey {
    if (key === null || key === undefined) {
      throw new InvalidStateStoreError(`store ${this.name}: a key must not be null`, { details: { store: this.name } });
    }
    return byteKey(this.serialized('key', () => this.keySerde.serialize(key)));
  }

  private serialized<T>(what: 'key' | 'value', serialize: () => T): T {
    try {
      return serialize();
    } catch (cause) {
      throw new SerializationError(`store ${this.name}: the ${what} does not fit its serde`, {
        cause,
        details: { store: this.name },
      });
    }
  }

  private deserialized<T>(what: 'key' | 'value', deserialize: () => T): T {
    try {
      return deserialize();
    } catch (cause) {
      throw new DeserializationError(`store ${this.name}: a ${what} can't be read with its serde`, {
        cause,
        details: { store: this.name },
        remedy: 'The store was written with another serde: use that one, or reset the application.',
      });
    }
  }
}

/** The least key above `key`. */
function justAfter(key: ByteKey): ByteKey {
  return `${key}\u0000` as ByteKey;
}
