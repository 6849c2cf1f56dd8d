import type { Awaitable } from '../model/awaitable.js';
import type { ByteKey, Encoded } from '../model/byte-key.js';
import { InvalidStateStoreError } from '../model/errors.js';
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

/** A store as the processors of one task see it: usable until the task closes, its iterators too, and counting what is written. */
export class TaskStore implements ByteStore {
  readonly name: string;
  readonly store: TransactionalStore;
  /** Bytes written since the last seal; a key that is written again counts again. */
  pendingBytes = 0;
  private readonly scope: TaskScope;
  private closed = false;

  constructor(name: string, store: TransactionalStore, scope: TaskScope) {
    this.name = name;
    this.store = store;
    this.scope = scope;
  }

  get size(): number {
    this.check();
    return this.store.size;
  }

  get(key: ByteKey): Awaitable<StoredValue | null> {
    this.check();
    return this.store.get(key);
  }

  put(key: ByteKey, value: Encoded | null, timestampMs: number): boolean {
    this.check();
    if (this.scope.callsRunning === 0) throw this.writtenLate();
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
