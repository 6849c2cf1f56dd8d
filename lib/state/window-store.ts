/**
 * A window store as user code sees it, over a {@link ByteStore} with the layout of window-layout.ts. Kafka: `WindowStore`.
 *
 * The engine lets whole segments of time go; what a segment still has beyond the retention is hidden here.
 */
import { type Awaitable, andThen } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { Windowed } from '../model/windowed.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore, StoredEntry } from './byte-store.js';
import { clampTime, GREATEST_TIME_MS } from './packed-numbers.js';
import type { Entries, KeyValue, ValueAndTimestamp, WindowStore, WindowValue } from './state-store.js';
import { plainValues, type StoreClock, StoreCodec, timestampedValues, type ValueFormat } from './store-codec.js';
import { expectTime } from './store-times.js';
import { packWindowKey, readWindowKey, windowsOfKey } from './window-layout.js';

export interface WindowStoreSettings<K, V> {
  readonly name: string;
  readonly keySerde: Serde<K>;
  readonly valueSerde: Serde<V>;
  readonly retentionMs: number;
  /** The end (exclusive) of the window that begins at `startMs`: windows are kept by their starts alone. */
  endOf(startMs: number): number;
  /** Whether a put beside another of the same key and start adds to it. */
  readonly retainDuplicates: boolean;
}

/** Opens a window store; the changelog record of a put takes the timestamp of the record being processed. */
export function openWindowStore<K, V>(
  bytes: ByteStore,
  settings: WindowStoreSettings<K, V>,
  clock: StoreClock,
): WindowStore<K, V> {
  return new TypedWindowStore(bytes, settings, clock, plainValues(settings.valueSerde, clock));
}

/** Opens a window store whose values carry a timestamp. Kafka: `TimestampedWindowStore`. */
export function openTimestampedWindowStore<K, V>(
  bytes: ByteStore,
  settings: WindowStoreSettings<K, V>,
  clock: StoreClock,
): WindowStore<K, ValueAndTimestamp<V>> {
  return new TypedWindowStore(bytes, settings, clock, timestampedValues(settings.valueSerde, clock));
}

type Settings<K> = Omit<WindowStoreSettings<K, unknown>, 'valueSerde'>;

class TypedWindowStore<K, V> implements WindowStore<K, V> {
  readonly name: string;
  /** The same store without serdes, for the library's own operators. */
  readonly bytes: ByteStore;
  private readonly settings: Settings<K>;
  private readonly clock: StoreClock;
  private readonly codec: StoreCodec<K, V>;

  constructor(bytes: ByteStore, settings: Settings<K>, clock: StoreClock, values: ValueFormat<V>) {
    this.name = settings.name;
    this.bytes = bytes;
    this.settings = settings;
    this.clock = clock;
    this.codec = new StoreCodec(settings.name, settings.keySerde, values);
  }

  put(key: K, value: V | null, startMs: number): void {
    const { retainDuplicates } = this.settings;
    expectTime(this.name, 'startMs', startMs);
    const packed = this.codec.bytesOf(key);
    const { value: stored, timestampMs } = this.codec.stored(value);
    const at = packWindowKey(packed, startMs, retainDuplicates ? this.bytes.nextSequence() : 0);
    if (!this.bytes.put(at, stored, timestampMs)) this.clock.recordExpired?.();
  }

  fetch(key: K, startMs: number): Awaitable<V | null>;
  fetch(key: K, fromMs: number, toMs: number): AsyncIterable<WindowValue<V>>;
  fetch(key: K, fromMs: number, toMs?: number): Awaitable<V | null> | AsyncIterable<WindowValue<V>> {
    return toMs === undefined ? this.valueAt(key, fromMs) : this.valuesOf(key, fromMs, toMs, false);
  }

  backwardFetch(key: K, fromMs: number, toMs: number): AsyncIterable<WindowValue<V>> {
    return this.valuesOf(key, fromMs, toMs, true);
  }

  fetchRange(from: K | null, to: K | null, fromMs: number, toMs: number): Entries<Windowed<K>, V> {
    return this.between(from, to, fromMs, toMs, false);
  }

  backwardFetchRange(from: K | null, to: K | null, fromMs: number, toMs: number): Entries<Windowed<K>, V> {
    return this.between(from, to, fromMs, toMs, true);
  }

  fetchAll(fromMs: number, toMs: number): Entries<Windowed<K>, V> {
    return this.between(null, null, fromMs, toMs, false);
  }

  backwardFetchAll(fromMs: number, toMs: number): Entries<Windowed<K>, V> {
    return this.between(null, null, fromMs, toMs, true);
  }

  all(): Entries<Windowed<K>, V> {
    return this.between(null, null, 0, GREATEST_TIME_MS, false);
  }

  backwardAll(): Entries<Windowed<K>, V> {
    return this.between(null, null, 0, GREATEST_TIME_MS, true);
  }

  private valueAt(key: K, startMs: number): Awaitable<V | null> {
    const packed = this.codec.bytesOf(key);
    if (startMs < this.firstReadableMs() || startMs > GREATEST_TIME_MS) return null;
    const stored = this.bytes.get(packWindowKey(packed, clampTime(startMs), 0));
    return andThen(stored, (found) => (found === null ? null : this.codec.value(found)));
  }

  private valuesOf(key: K, fromMs: number, toMs: number, reverse: boolean): AsyncIterable<WindowValue<V>> {
    return this.valuesBetween(this.codec.bytesOf(key), fromMs, toMs, reverse);
  }

  /** Opened now, not when the first value is asked for. */
  private valuesBetween(key: ByteKey, fromMs: number, toMs: number, reverse: boolean): AsyncIterable<WindowValue<V>> {
    const firstMs = Math.max(fromMs, this.firstReadableMs());
    const range = windowsOfKey(key, { fromMs: firstMs, toMs, reverse });
    return this.valuesIn(key, toMs < firstMs ? [] : this.bytes.entries(range));
  }

  private async *valuesIn(
    key: ByteKey,
    entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
  ): AsyncGenerator<WindowValue<V>> {
    for await (const entry of entries) {
      const read = readWindowKey(entry.key);
      if (read.key === key) yield { startMs: read.startMs, value: this.codec.value(entry) };
    }
  }

  private between(
    from: K | null,
    to: K | null,
    fromMs: number,
    toMs: number,
    reverse: boolean,
  ): Entries<Windowed<K>, V> {
    const least = from === null ? null : this.codec.bytesOf(from);
    const greatest = to === null ? null : this.codec.bytesOf(to);
    const range = { fromMs: Math.max(fromMs, this.firstReadableMs()), toMs, reverse };
    return this.walk(
      this.bytes.entriesByTime(range),
      (key) => (least === null || key >= least) && (greatest === null || key <= greatest),
    );
  }

  private async *walk(
    entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
    isWanted: (key: ByteKey) => boolean,
  ): AsyncGenerator<KeyValue<Windowed<K>, V>> {
    for await (const entry of entries) {
      const { key, startMs } = readWindowKey(entry.key);
      if (isWanted(key)) yield this.windowed(key, startMs, entry);
    }
  }

  private windowed(key: ByteKey, startMs: number, entry: StoredEntry): KeyValue<Windowed<K>, V> {
    const window = { startMs, endMs: this.settings.endOf(startMs) };
    return { key: { key: this.codec.key(key), window }, value: this.codec.value(entry) };
  }

  private firstReadableMs(): number {
    return Math.max(0, this.bytes.progress.streamTimeMs - this.settings.retentionMs + 1);
  }
}
