import type { Encoded, PackedBytes } from '../model/byte-key.js';
import { kindOfValue } from '../model/kind-of-value.js';

/**
 * How a key or value becomes bytes and back. Kafka: `Serde`, `Serializer`, `Deserializer` in one.
 *
 * `null` never reaches a serde: a null key or value is null bytes, and back.
 */
export interface Serde<T> {
  /**
   * Says which bytes this serde makes. Two serdes of one `format` read each other's bytes, so that bytes which were read
   * with one may be written unchanged where the other is asked for. Leave it out if that cannot be promised.
   */
  readonly format?: string;

  /**
   * When a value that was read may be handed on as the bytes it came from, though user code has seen it.
   * Only for values that nobody can change (strings, numbers).
   */
  readonly immutable?: boolean;

  /**
   * Whether bytes [start, end) can be read, without reading them: `true` promises that `deserialize` will not throw.
   * The source node asks before a record enters the topology, so that reading may wait until user code wants the value.
   * Without this method the record is read on entry.
   */
  accepts?(bytes: Buffer, start: number, end: number): boolean;

  /** @throws anything; the engine reports it as STREAMS_SERIALIZATION_FAILED with the topic or store */
  serialize(value: T): Uint8Array;

  /** The bytes of `serialize`, packed, where a serde can save the buffer. Errors as there. */
  pack?(value: T): PackedBytes;

  /** @throws anything; the engine applies the deserialisation handler (STREAMS_DESERIALIZATION_FAILED) */
  deserialize(bytes: Uint8Array): T;

  /** The same as `deserialize(bytes.subarray(start, end))`, where a serde can save the view. */
  deserializeRange?(bytes: Buffer, start: number, end: number): T;

  /** What has to be looked up outside before the serde can be used. Absent: nothing, which all serdes without a registry say. */
  readonly lookups?: SerdeLookups;
}

/** Where a serde is used. Kafka: the `topic` of `serialize(topic, data)` with the `isKey` of `configure`. */
export interface SerdePlace {
  /** Name on the broker; of a store the topic of its changelog, whether or not it has one. */
  readonly topic: string;
  readonly part: 'key' | 'value';
}

/**
 * What a serde has to look up before its synchronous work, such as schemas in a registry. The engine asks before a task begins and
 * before records enter it; nobody waits where the answer is undefined: all is known.
 *
 * @throws {UnavailableError} STREAMS_UNAVAILABLE, as promises: what is asked could not answer, and is asked again · another
 *   StreamsError of kind `invalid`: the serde can not be used there
 */
export interface SerdeLookups {
  /** Before the first write to a topic. Afterwards `serialize` works there. */
  forTopic(place: SerdePlace): Promise<void> | undefined;
  /** Before bytes [start, end) are read. Afterwards `deserialize` reads them, or says for good that they can not be read. */
  forBytes(bytes: Buffer, start: number, end: number): Promise<void> | undefined;
}

/** The value type of a serde. */
export type SerdeType<S> = S extends Serde<infer T> ? T : never;

/** A value as bytes, in the form that its serde gives at the least cost. @throws whatever the serde throws */
export function encodedBy<T>(serde: Serde<T>, value: T): Encoded {
  return serde.pack === undefined ? serializedBy(serde, value) : serde.pack(value);
}

/**
 * A value as bytes. A serde in JavaScript may answer anything: text would be written as if it were bytes, a promise as nothing.
 *
 * @throws whatever the serde throws · {TypeError} if it answers no bytes
 */
export function serializedBy<T>(serde: Serde<T>, value: T): Uint8Array {
  const bytes: unknown = serde.serialize(value);
  if (ArrayBuffer.isView(bytes)) return bytes as Uint8Array;
  throw new TypeError(`serialize answered ${kindOfValue(bytes)}, a Uint8Array is wanted, at once`);
}
