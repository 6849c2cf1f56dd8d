import type { Awaitable } from '../model/awaitable.js';
import { type ByteKey, type Encoded, shownKey } from '../model/byte-key.js';
import { InvalidStateStoreError, RecordTooLargeError } from '../model/errors.js';
import type {
  ByteStore,
  KeyRange,
  StoredEntry,
  StoredValue,
  TimeRange,
  TransactionalStore,
} from '../state/byte-store.js';
import type { StoreProgress } from '../state/store-progress.js';
import { checkedEntries } from './open-entries.js';
import type { TaskScope } from './task-scope.js';

/** What one entry of a store may take. */
interface EntryLimits {
  /** Bytes of key and value, which its changelog record is made of; Infinity for a store without a changelog. */
  readonly changelogBytes: number;
  /** Bytes that all state of the member may take. */
  readonly memoryBytes: number;
}

/** Any entry fits. */
const NO_LIMITS: EntryLimits = {
  changelogBytes: Number.POSITIVE_INFINITY,
  memoryBytes: Number.POSITIVE_INFINITY,
};

/** A store as the processors of one task see it: usable until the task closes, its iterators too, and counting what is written. */
export class TaskStore implements ByteStore {
  readonly name: string;
  readonly store: TransactionalStore;
  /** Bytes written since the last seal; a key that is written again counts again. */
  pendingBytes = 0;
  private readonly scope: TaskScope;
  private readonly limits: EntryLimits;
  private readonly largestBytes: number;
  private closed = false;

  constructor(name: string, store: TransactionalStore, scope: TaskScope, limits = NO_LIMITS) {
    this.name = name;
    this.store = store;
    this.scope = scope;
    this.limits = limits;
    this.largestBytes = Math.min(limits.changelogBytes, limits.memoryBytes);
  }

  get size(): number {
    this.check();
    return this.store.size;
  }

  get(key: ByteKey): Awaitable<StoredValue | null> {
    this.check();
    return this.store.get(key);
  }

  /** @throws {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE, with nothing written, if the entry fits neither its changelog nor any memory */
  put(key: ByteKey, value: Encoded | null, timestampMs: number): boolean {
    this.check();
    if (this.scope.callsRunning === 0) throw this.writtenLate();
    if (value !== null && key.length + value.length > this.largestBytes) throw this.tooLarge(key, value);
    const isPut = this.store.put(key, value, timestampMs);
    this.pendingBytes += key.length + (value === null ? 0 : value.length);
    this.scope.dirty = true;
    return isPut;
  }

  entries(range: KeyRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    this.check();
    return checkedEntries(this.store.entries(range), this.check);
  }

  entriesByTime(range: TimeRange): AsyncIterable<StoredEntry> | Iterable<StoredEntry> {
    this.check();
    return checkedEntries(this.store.entriesByTime(range), this.check);
  }

  get progress(): StoreProgress {
    return this.store.progress;
  }

  nextSequence(): number {
    this.check();
    return this.store.nextSequence();
  }

  close(): void {
    this.closed = true;
  }

  private tooLarge(key: ByteKey, value: Encoded): RecordTooLargeError {
    const { name } = this;
    const { taskId } = this.scope;
    const sizeBytes = key.length + value.length;
    const ofChangelog = sizeBytes > this.limits.changelogBytes;
    const allowedBytes = ofChangelog ? this.limits.changelogBytes : this.limits.memoryBytes;
    const whose = ofChangelog ? 'a record of its changelog (maxRequestSize)' : 'the state of its member';
    const message = `store ${name} of task ${taskId}: the entry of key ${shownKey(key)} has ${sizeBytes} bytes; ${whose} may have ${allowedBytes}`;
    return new RecordTooLargeError(message, {
      details: { store: name, taskId, key: shownKey(key), sizeBytes, allowedBytes, ...this.scope.whereabouts() },
      remedy: ofChangelog
        ? 'Keep less in one entry (several keys, or a window), or raise maxRequestSize, and max.message.bytes of the changelog.'
        : 'Keep less in one entry (several keys, or a window), or give the function more memory.',
    });
  }

  /** Nobody knows with which commit it would go: a crash before that would lose it, though its record is committed. */
  private writtenLate(): InvalidStateStoreError {
    return new InvalidStateStoreError(
      `store ${this.name} of task ${this.scope.taskId} is written to after the call that began it has ended`,
      {
        details: { store: this.name, taskId: this.scope.taskId },
        remedy: 'Return, or await, every promise that a processor or punctuator begins: its record is not done before.',
      },
    );
  }

  /** @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE once the task is closed */
  private readonly check = (): void => {
    if (!this.closed) return;
    throw new InvalidStateStoreError(`store ${this.name} of task ${this.scope.taskId} is closed`, {
      details: { store: this.name, taskId: this.scope.taskId },
    });
  };
}
