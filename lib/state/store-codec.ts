/**
 * Keys and values of one store to bytes and back, with errors that name the store.
 *
 * What a value is (plain, or with a timestamp) is the business of its {@link ValueFormat}.
 */
import { type ByteKey, byteKey, bytesOfKey } from '../model/byte-key.js';
import { DeserializationError, InvalidStateStoreError, SerializationError } from '../model/errors.js';
import { messageOf } from '../model/thrown.js';
import { READ_OWN_BYTES } from '../serde/own-bytes.js';
import { type Serde, serializedBy } from '../serde/serde.js';
import type { StoredValue } from './byte-store.js';
import { readStored } from './read-stored.js';
import type { ValueAndTimestamp } from './state-store.js';

/** What a typed store asks of the task around it. */
export interface StoreClock {
  /** Timestamp of the record being processed; in a punctuation, the time it was called with. */
  timestampMs(): number;
  /** Counts a write that came too late for the store's retention. Absent: nobody counts. */
  recordExpired?(): void;
}

/** How values lie in the bytes of a store. */
export interface ValueFormat<V> {
  decode(stored: StoredValue): V;
  encode(value: V): StoredValue;
  /** The changelog timestamp of a delete. */
  timestampOfDelete(): number;
}

/** Values as their serde makes them; their changelog records take the timestamp of the record being processed. */
export function plainValues<V>(serde: Serde<V>, clock: StoreClock): ValueFormat<V> {
  return {
    decode: (stored) => readStored(stored, serde),
    encode: (value) => ({ value: serializedBy(serde, value), timestampMs: clock.timestampMs() }),
    timestampOfDelete: () => clock.timestampMs(),
  };
}

/**
 * Values with a timestamp of their own. It lies beside the bytes, as it does in the changelog (a plain value in a record of that
 * timestamp), so that the changelog reads the same in Kafka Streams. A delete takes the timestamp of the record being processed.
 */
export function timestampedValues<V>(serde: Serde<V>, clock: StoreClock): ValueFormat<ValueAndTimestamp<V>> {
  return {
    decode: (stored) => ({ value: readStored(stored, serde), timestampMs: stored.timestampMs }),
    encode: ({ value, timestampMs }) => ({ value: serializedBy(serde, value), timestampMs }),
    timestampOfDelete: () => clock.timestampMs(),
  };
}

export class StoreCodec<K, V> {
  private readonly store: string;
  private readonly keySerde: Serde<K>;
  private readonly format: ValueFormat<V>;

  constructor(store: string, keySerde: Serde<K>, format: ValueFormat<V>) {
    this.store = store;
    this.keySerde = keySerde;
    this.format = format;
  }

  /** @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE for null · {SerializationError} STREAMS_SERIALIZATION_FAILED */
  bytesOf(key: K): ByteKey {
    if (key === null || key === undefined) {
      throw new InvalidStateStoreError(`store ${this.store}: a key must not be null`, {
        details: { store: this.store },
      });
    }
    return byteKey(this.serialized('key', () => serializedBy(this.keySerde, key)));
  }

  /** @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED */
  key(bytes: ByteKey): K {
    return this.deserialized('key', () => this.keySerde.deserialize(bytesOfKey(bytes)));
  }

  /** A value as it is written; null is a delete. @throws {SerializationError} STREAMS_SERIALIZATION_FAILED */
  stored(value: V | null): { readonly value: Uint8Array | null; readonly timestampMs: number } {
    if (value === null || value === undefined) return { value: null, timestampMs: this.format.timestampOfDelete() };
    return this.serialized('value', () => this.format.encode(value));
  }

  /** @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED */
  value(stored: StoredValue): V {
    return this.deserialized('value', () => this.format.decode(stored));
  }

  private serialized<T>(what: 'key' | 'value', serialize: () => T): T {
    try {
      return serialize();
    } catch (cause) {
      throw new SerializationError(`store ${this.store}: the ${what} does not fit its serde: ${messageOf(cause)}`, {
        cause,
        details: { store: this.store },
      });
    }
  }

  private deserialized<T>(what: 'key' | 'value', deserialize: () => T): T {
    try {
      return deserialize();
    } catch (cause) {
      throw new DeserializationError(`store ${this.store}: a ${what} can't be read with its serde`, {
        cause,
        details: { store: this.store },
        remedy: `${READ_OWN_BYTES} Or reset the application.`,
      });
    }
  }
}
