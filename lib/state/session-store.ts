/** A session store as user code sees it, over a {@link ByteStore} with the layout of session-layout.ts. Kafka: `SessionStore`. */
import { type Awaitable, andThen } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import { InvalidStateStoreError } from '../model/errors.js';
import type { Windowed } from '../model/windowed.js';
import type { Serde } from '../serde/serde.js';
import type { ByteStore, StoredEntry } from './byte-store.js';
import { clampTime, GREATEST_TIME_MS } from './packed-numbers.js';
import {
  compareSessionsByTime,
  packSessionKey,
  readSessionKey,
  type SessionKey,
  sessionsOfKey,
} from './session-layout.js';
import type { Entries, KeyValue, SessionStore } from './state-store.js';
import { plainValues, type StoreClock, StoreCodec } from './store-codec.js';
import { expectTime } from './store-times.js';

export interface SessionStoreSettings<K, V> {
  readonly name: string;
  readonly keySerde: Serde<K>;
  readonly valueSerde: Serde<V>;
  readonly retentionMs: number;
  /** Whether sessions that end at one time are listed as Kafka's in-memory store lists them: the one that began last first. */
  readonly inMemory: boolean;
}

/** Which sessions of a range of keys; both ends are inclusive. */
interface WantedSessions {
  readonly earliestEndMs: number;
  readonly latestEndMs: number;
  readonly latestStartMs: number;
  readonly reverse: boolean;
}

const ALL_SESSIONS: WantedSessions = {
  earliestEndMs: 0,
  latestEndMs: GREATEST_TIME_MS,
  latestStartMs: GREATEST_TIME_MS,
  reverse: false,
};

/** Opens a session store; the changelog record of a put takes the timestamp of the record being processed. */
export function openSessionStore<K, V>(
  bytes: ByteStore,
  settings: SessionStoreSettings<K, V>,
  clock: StoreClock,
): SessionStore<K, V> {
  return new TypedSessionStore(bytes, settings, clock);
}

class TypedSessionStore<K, V> implements SessionStore<K, V> {
  readonly name: string;
  /** The same store without serdes, for the library's own operators. */
  readonly bytes: ByteStore;
  private readonly settings: SessionStoreSettings<K, V>;
  private readonly clock: StoreClock;
  private readonly codec: StoreCodec<K, V>;

  constructor(bytes: ByteStore, settings: SessionStoreSettings<K, V>, clock: StoreClock) {
    this.name = settings.name;
    this.bytes = bytes;
    this.settings = settings;
    this.clock = clock;
    this.codec = new StoreCodec(settings.name, settings.keySerde, plainValues(settings.valueSerde, clock));
  }

  put({ key, window }: Windowed<K>, value: V | null): void {
    expectTime(this.name, 'startMs', window.startMs);
    expectTime(this.name, 'endMs', window.endMs);
    if (window.endMs < window.startMs) {
      throw new InvalidStateStoreError(`store ${this.name}: a session must not end before it starts`, {
        details: { store: this.name, ...window },
      });
    }
    const at = packSessionKey(this.codec.bytesOf(key), window.startMs, window.endMs);
    const { value: stored, timestampMs } = this.codec.stored(value);
    if (!this.bytes.put(at, stored, timestampMs)) this.clock.recordExpired?.();
  }

  remove(session: Windowed<K>): void {
    this.put(session, null);
  }

  fetchSession(key: K, startMs: number, endMs: number): Awaitable<V | null> {
    const packed = this.codec.bytesOf(key);
    if (endMs < this.firstReadableMs() || endMs > GREATEST_TIME_MS || startMs < 0 || startMs > endMs) return null;
    const stored = this.bytes.get(packSessionKey(packed, clampTime(startMs), clampTime(endMs)));
    return andThen(stored, (found) => (found === null ? null : this.codec.value(found)));
  }

  fetch(key: K): Entries<Windowed<K>, V> {
    return this.sessionsOf(this.codec.bytesOf(key), 0, GREATEST_TIME_MS, false);
  }

  backwardFetch(key: K): Entries<Windowed<K>, V> {
    return this.sessionsOf(this.codec.bytesOf(key), 0, GREATEST_TIME_MS, true);
  }

  fetchRange(from: K | null, to: K | null): Entries<Windowed<K>, V> {
    return this.between(from, to, ALL_SESSIONS);
  }

  backwardFetchRange(from: K | null, to: K | null): Entries<Windowed<K>, V> {
    return this.between(from, to, { ...ALL_SESSIONS, reverse: true });
  }

  findSessions(key: K, earliestEndMs: number, latestStartMs: number): Entries<Windowed<K>, V> {
    return this.sessionsOf(this.codec.bytesOf(key), earliestEndMs, latestStartMs, false);
  }

  backwardFindSessions(key: K, earliestEndMs: number, latestStartMs: number): Entries<Windowed<K>, V> {
    return this.sessionsOf(this.codec.bytesOf(key), earliestEndMs, latestStartMs, true);
  }

  findSessionsRange(
    from: K | null,
    to: K | null,
    earliestEndMs: number,
    latestStartMs: number,
  ): Entries<Windowed<K>, V> {
    return this.between(from, to, { ...ALL_SESSIONS, earliestEndMs, latestStartMs });
  }

  backwardFindSessionsRange(
    from: K | null,
    to: K | null,
    earliestEndMs: number,
    latestStartMs: number,
  ): Entries<Windowed<K>, V> {
    return this.between(from, to, { ...ALL_SESSIONS, earliestEndMs, latestStartMs, reverse: true });
  }

  findSessionsByEnd(earliestEndMs: number, latestEndMs: number): Entries<Windowed<K>, V> {
    return this.between(null, null, { ...ALL_SESSIONS, earliestEndMs, latestEndMs });
  }

  /** Opened now, not when the first session is asked for. */
  private sessionsOf(
    key: ByteKey,
    earliestEndMs: number,
    latestStartMs: number,
    reverse: boolean,
  ): Entries<Windowed<K>, V> {
    return this.sessionsIn(this.entriesOf(key, earliestEndMs, reverse), key, latestStartMs);
  }

  private async *sessionsIn(
    entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
    key: ByteKey,
    latestStartMs: number,
  ): AsyncGenerator<KeyValue<Windowed<K>, V>> {
    for await (const entry of entries) {
      const session = readSessionKey(entry.key);
      if (session.key === key && session.startMs <= latestStartMs) yield this.windowed(session, entry);
    }
  }

  private entriesOf(key: ByteKey, earliestEndMs: number, reverse: boolean) {
    const fromMs = Math.max(earliestEndMs, this.firstReadableMs());
    const entries = this.bytes.entries(sessionsOfKey(key, fromMs, reverse));
    return this.settings.inMemory ? sorted(entries, reverse) : entries;
  }

  private between(from: K | null, to: K | null, wanted: WantedSessions): Entries<Windowed<K>, V> {
    const least = from === null ? null : this.codec.bytesOf(from);
    const greatest = to === null ? null : this.codec.bytesOf(to);
    const { earliestEndMs, latestEndMs, latestStartMs, reverse } = wanted;
    const range = { fromMs: Math.max(earliestEndMs, this.firstReadableMs()), toMs: latestEndMs, reverse };
    return this.walk(
      this.bytes.entriesByTime(range),
      ({ key, startMs }) =>
        startMs <= latestStartMs && (least === null || key >= least) && (greatest === null || key <= greatest),
    );
  }

  private async *walk(
    entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
    isWanted: (session: SessionKey) => boolean,
  ): AsyncGenerator<KeyValue<Windowed<K>, V>> {
    for await (const entry of entries) {
      const session = readSessionKey(entry.key);
      if (isWanted(session)) yield this.windowed(session, entry);
    }
  }

  private windowed({ key, startMs, endMs }: SessionKey, entry: StoredEntry): KeyValue<Windowed<K>, V> {
    return { key: { key: this.codec.key(key), window: { startMs, endMs } }, value: this.codec.value(entry) };
  }

  private firstReadableMs(): number {
    return Math.max(0, this.bytes.progress.streamTimeMs - this.settings.retentionMs + 1);
  }
}

/** One key's sessions are few: they are put in order in memory. */
async function* sorted(
  entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
  reverse: boolean,
): AsyncGenerator<StoredEntry> {
  const all: StoredEntry[] = [];
  for await (const entry of entries) all.push(entry);
  all.sort((a, b) => compareSessionsByTime(a.key, b.key));
  yield* reverse ? all.reverse() : all;
}
