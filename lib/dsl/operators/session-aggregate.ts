/** Aggregations of sessions. Kafka: `KStreamSessionWindowAggregate`. */
import { type Awaitable, andThen, forEachInOrder, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import { greatest, smallest } from '../../model/lists.js';
import { NO_HEADERS } from '../../model/record-set.js';
import type { Window, Windowed } from '../../model/windowed.js';
import type { ProcessorSupplier } from '../../processor/processor.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { StoredValue } from '../../state/byte-store.js';
import { compareSessionsByTime, packSessionKey, readSessionKey, sessionsOfKey } from '../../state/session-layout.js';
import type { Change } from '../change.js';
import type { SessionWindows } from '../windows/windows.js';
import type { RowFold } from './aggregate-processor.js';
import type { WindowedNode } from './window-rows.js';
import { WindowedProcessor } from './windowed-processor.js';

/** How sessions are begun, grown and joined. */
export interface SessionFold<K, V, A> {
  /** What the sessions that a record connects are merged into, first; null: nothing. */
  init(): Awaitable<A | null>;
  merge(key: K, aggregate: A | null, session: A): Awaitable<A | null>;
  readonly add: RowFold<K, V, A>;
}

export interface SessionNode<K, A> extends WindowedNode<K, A> {
  /** Whether sessions are merged in the order of Kafka's in-memory store: of those that end together the last begun first. */
  readonly inMemory: boolean;
}

/** A null value is folded as any other; only a null key is dropped, as in Kafka Streams. */
export function sessionAggregate<K, V, A>(
  node: SessionNode<K, A>,
  windows: SessionWindows,
  fold: SessionFold<K, V, A>,
): ProcessorSupplier<K, V, Windowed<K>, Change<A>> {
  return () => new SessionAggregate(node, windows, fold);
}

/** A result has the timestamp of its session's last record. */
const sessionTimestamp = (session: Window): number => session.endMs;

interface Session {
  readonly at: ByteKey;
  readonly window: Window;
  readonly stored: StoredValue;
}

const NONE: readonly Session[] = Object.freeze([]);

class SessionAggregate<K, V, A> extends WindowedProcessor<K, V, A> {
  private readonly inMemory: boolean;
  private readonly isFinal: boolean;
  private readonly gapMs: number;
  private readonly fold: SessionFold<K, V, A>;

  constructor(node: SessionNode<K, A>, windows: SessionWindows, fold: SessionFold<K, V, A>) {
    super(node, sessionTimestamp);
    this.inMemory = node.inMemory;
    this.isFinal = node.emit === 'onWindowClose';
    this.gapMs = windows.inactivityGapMs;
    this.fold = fold;
  }

  protected aggregate(record: StreamRecord<K, V>, key: ByteKey): Awaitable<void> {
    const closeMs = this.rows.observe(record.timestampMs);
    const found = this.connected(record.timestampMs, key);
    return isPromise(found)
      ? found.then((later) => this.join(record, key, closeMs, later))
      : this.join(record, key, closeMs, found);
  }

  /** Sessions of the key with a pause of no more than the gap to a time. */
  private connected(timestampMs: number, key: ByteKey): Awaitable<readonly Session[]> {
    const latestStartMs = timestampMs + this.gapMs;
    const earliestEndMs = Math.max(timestampMs - this.gapMs, this.rows.firstReadableMs);
    return andThen(this.rows.collect(sessionsOfKey(key, earliestEndMs)), (entries) => {
      const sessions: Session[] = [];
      for (const stored of entries) {
        const { key: of, ...window } = readSessionKey(stored.key);
        if (of === key && window.startMs <= latestStartMs) sessions.push({ at: stored.key, window, stored });
      }
      return this.inMemory ? sessions.sort((a, b) => compareSessionsByTime(a.at, b.at)) : sessions;
    });
  }

  private join(
    record: StreamRecord<K, V>,
    key: ByteKey,
    closeMs: number,
    sessions: readonly Session[],
  ): Awaitable<void> {
    const { timestampMs } = record;
    const window: Window = {
      startMs: smallest(
        timestampMs,
        sessions.map((session) => session.window.startMs),
      ),
      endMs: greatest(
        timestampMs,
        sessions.map((session) => session.window.endMs),
      ),
    };
    if (window.endMs < closeMs) return this.context.recordDropped('late');
    const at = packSessionKey(key, window.startMs, window.endMs);
    if (sessions.length > 0 || !this.isFinal || timestampMs >= this.rows.firstReadableMs)
      return this.write(record, { at, window }, sessions);
    // What is to be given out is not to be written over, though the store's retention hides it: Kafka Streams loses it here.
    return andThen(this.rows.get(at), (stored) =>
      this.write(record, { at, window }, stored === null ? NONE : [{ at, window, stored }]),
    );
  }

  private write(
    record: StreamRecord<K, V>,
    { at, window }: Omit<Session, 'stored'>,
    sessions: readonly Session[],
  ): Awaitable<void> {
    const merged = this.merged(record.keyCell.value, sessions);
    const next = andThen(merged, (aggregate) => this.fold.add(record, aggregate));
    return andThen(next, (aggregate) => {
      const [only] = sessions;
      // A session of this one time is written over; any other is deleted, though the new one may have its place. As in Kafka Streams what
      // was written over is told downstream by the cache alone.
      if (window.startMs === window.endMs && only !== undefined)
        return this.put(record, this.rows.holdsBack ? only : { ...only, stored: null }, aggregate);
      const removed = forEachInOrder(sessions, (session) => this.put(record, session, null));
      return andThen(removed, () => this.put(record, { at, window, stored: null }, aggregate));
    });
  }

  private merged(key: K, sessions: readonly Session[]): Awaitable<A | null> {
    let aggregate: Awaitable<A | null> = this.fold.init();
    for (const { stored } of sessions) {
      aggregate = andThen(aggregate, (before) => this.fold.merge(key, before, this.rows.decode(stored)));
    }
    return aggregate;
  }

  /**
   * As in Kafka Streams, an update that goes downstream at once has no headers, a session not being made by one record; one that is held
   * back has those of the record that brought it.
   */
  private put(
    { keyCell, timestampMs, headers }: StreamRecord<K, V>,
    { at, window, stored }: { readonly at: ByteKey; readonly window: Window; readonly stored: StoredValue | null },
    next: A | null,
  ): Awaitable<void> {
    return this.rows.update({
      at,
      keyCell,
      window,
      before: stored,
      start: null,
      next,
      storedMs: timestampMs,
      timestampMs: sessionTimestamp(window),
      headers: this.rows.holdsBack ? headers : NO_HEADERS,
    });
  }
}
