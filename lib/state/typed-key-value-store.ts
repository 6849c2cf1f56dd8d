/**
 * A key-value store as user code sees it, over a {@link ByteStore}: keys and values through serdes, the rest unchanged.
 *
 * What a value is (plain, or with a timestamp) is the business of its {@link ValueFormat}.
 */
import { type Awaitable, andThen } from '../model/awaitable.js';
import { afterPrefix, type ByteKey, byteKey, justAfter } from '../model/byte-key.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore, KeyRange, StoredEntry, StoredValue } from './byte-store.js';
import type { Entries, KeyValue, KeyValueStore } from './state-store.js';
import { StoreCodec, type ValueFormat } from './store-codec.js';

export class TypedKeyValueStore<K, V> implements KeyValueStore<K, V> {
  readonly name: string;
  /** The same store without serdes, for the library's own operators. */
  readonly bytes: ByteStore;
  private readonly codec: StoreCodec<K, V>;

  constructor(bytes: ByteStore, name: string, keySerde: Serde<K>, format: ValueFormat<V>) {
    this.bytes = bytes;
    this.name = name;
    this.codec = new StoreCodec(name, keySerde, format);
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

  /** Opened now, not when the first entry is asked for. */
  private scan(range: KeyRange): Entries<K, V> {
    return this.decoded(this.bytes.entries(range));
  }

  private async *decoded(entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>): AsyncGenerator<KeyValue<K, V>> {
    for await (const entry of entries) {
      yield { key: this.codec.key(entry.key), value: this.codec.value(entry) };
    }
  }

  private write(at: ByteKey, value: V | null): void {
    const stored = this.codec.stored(value);
    this.bytes.put(at, stored.value, stored.timestampMs);
  }

  private decode(stored: StoredValue | null): V | null {
    return stored === null ? null : this.codec.value(stored);
  }

  private keyOf(key: K): ByteKey {
    return this.codec.bytesOf(key);
  }
}
