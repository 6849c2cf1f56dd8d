import type { Awaitable } from '../../model/awaitable.js';
import { asBuffer, type ByteKey, bytesOfKey, type Encoded } from '../../model/byte-key.js';
import { DeserializationError, SerializationError } from '../../model/errors.js';
import { kindOfValue } from '../../model/kind-of-value.js';
import { messageOf } from '../../model/thrown.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { Cell } from '../../serde/cell.js';
import { READ_OWN_BYTES } from '../../serde/own-bytes.js';
import { encodedBy, type Serde } from '../../serde/serde.js';
import type { ByteStore, StoredValue } from '../../state/byte-store.js';
import { readStored } from '../../state/read-stored.js';
import type { StateStore } from '../../state/state-store.js';
import { ToldStore } from '../../state/told-store.js';
import { ABSENT } from '../change.js';

/** Names and formats of an operator's store. */
export interface RowFormat<K, V> {
  readonly store: string;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  /** Present where the table keeps its history, and for how long. */
  readonly historyRetentionMs?: number;
}

/** What became of a row that was written: the newest one, one that came late into the history, or too late for it. */
export type RowPut = 'latest' | 'outdated' | 'expired';

/** An operator's timestamped store, by key bytes: a key that nobody looks at is not decoded. */
export class RowStore<K, V> {
  private readonly name: string;
  private readonly keySerde: Serde<K>;
  private readonly serde: Serde<V>;
  /** For reads of ranges. */
  readonly bytes: ByteStore;

  constructor(context: ProcessorContext<never, never>, format: RowFormat<K, V>) {
    this.name = format.store;
    this.keySerde = format.key;
    this.serde = format.value;
    this.bytes = context.getStateStore<StateStore & { readonly bytes: ByteStore }>(format.store).bytes;
  }

  get(key: ByteKey): Awaitable<StoredValue | null> {
    return this.bytes.get(key);
  }

  /** The row as those after its table were last told of it: also one that has ended, until that is told. */
  getTold(key: ByteKey): Awaitable<StoredValue | null> {
    const { bytes } = this;
    return bytes instanceof ToldStore ? bytes.shared.getKept(key) : this.get(key);
  }

  /**
   * Writes bytes as they are (null deletes), and answers what became of them: in a store without history they are the newest.
   *
   * @param timestampMs of the row
   * @param recordMs of the record that caused it: a delete has this one in the changelog, as in Kafka Streams, but for a history
   */
  putRow(key: ByteKey, value: Encoded | null, timestampMs: number, recordMs = timestampMs): Awaitable<RowPut> {
    this.bytes.put(key, value, value === null ? recordMs : timestampMs);
    return 'latest';
  }

  /** Writes a value; null deletes (undefined, as from a function that forgot to return, does not: no serde takes it). */
  put(key: ByteKey, value: V | null, timestampMs: number): Encoded | null {
    const bytes = this.encoded(value);
    this.bytes.put(key, bytes, timestampMs);
    return bytes;
  }

  /** A value as it is written; null for null. */
  encoded(value: V | null): Encoded | null {
    return value === null ? null : this.encode(value);
  }

  decode(stored: StoredValue): V {
    return this.read('row', () => readStored(stored, this.serde));
  }

  key(at: ByteKey): K {
    return this.read('key', () => this.keySerde.deserialize(bytesOfKey(at)));
  }

  /** The row as a cell that decodes when somebody asks. */
  cell(stored: StoredValue | null): Cell<V | null> {
    if (stored === null) return ABSENT;
    const bytes = asBuffer(stored.value);
    return Cell.read(this.serde as Serde<V | null>, bytes, 0, bytes.length);
  }

  /** The row that was just written, as a cell that has both the value and its bytes. */
  written(value: V | null, encoded: Encoded | null): Cell<V | null> {
    return encoded === null ? ABSENT : Cell.both(this.serde as Serde<V | null>, encoded, value);
  }

  private read<T>(what: 'key' | 'row', read: () => T): T {
    try {
      return read();
    } catch (cause) {
      throw new DeserializationError(`a ${what} of store '${this.name}' cannot be read`, {
        cause,
        details: { store: this.name },
        remedy: READ_OWN_BYTES,
      });
    }
  }

  private encode(value: V): Encoded {
    try {
      return encodedBy(this.serde, value);
    } catch (cause) {
      throw new SerializationError(`${kindOfValue(value)} does not fit store '${this.name}': ${messageOf(cause)}`, {
        cause,
        details: { store: this.name },
      });
    }
  }
}
