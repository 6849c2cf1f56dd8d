import type { Awaitable } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { KeyRange, StoredEntry, StoredValue } from './byte-store.js';

/** What a store holds elsewhere, read as it is asked for: the content of a snapshot. It does not change. */
export interface ColdBase {
  /** At once where it is in memory. */
  get(key: ByteKey): Awaitable<StoredValue | null>;
  /** The same of many keys, in any order, read together; values are copies, which keep nothing else in memory. */
  getAll(keys: readonly ByteKey[]): Promise<ReadonlyMap<ByteKey, StoredValue | null>>;
  /** In order, without deletes. */
  entries(range: KeyRange): AsyncIterable<StoredEntry>;
  /** Entries at most: a key that was written again counts twice. */
  readonly countMax: number;
}
