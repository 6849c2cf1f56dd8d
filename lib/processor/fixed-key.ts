/**
 * A step written by hand that keeps each record's key (KIP-820). The key decides the partition, so what comes after it need not move,
 * and so the key must not change: by type there is no way to, and what is forwarded with another key all the same is refused.
 */
import type { Awaitable } from '../model/awaitable.js';
import type { Headers } from '../model/record-set.js';
import type { ProcessorContext } from './processor-context.js';

/** Says by type that a record came to the processor, or was made of one that did. There is no such field. */
declare const keyIsFixed: unique symbol;

/**
 * A record whose key stays. Kafka: `processor.api.FixedKeyRecord`, which nobody makes from nothing either: it comes to `process`, and the
 * `with…` methods make others of it, which may be forwarded later too, from a punctuation.
 */
export interface FixedKeyRecord<K, V> {
  readonly [keyIsFixed]: true;
  readonly key: K;
  readonly value: V;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly headers: Headers;
  withValue<V2>(value: V2): FixedKeyRecord<K, V2>;
  withTimestamp(timestampMs: number): FixedKeyRecord<K, V>;
  withHeaders(headers: Headers): FixedKeyRecord<K, V>;
}

/** As {@link ProcessorContext}, for records whose key stays. Kafka: `processor.api.FixedKeyProcessorContext`. */
export interface FixedKeyProcessorContext<K, VOut = never> extends Omit<ProcessorContext, 'forward'> {
  /**
   * Hands a record on, as `ProcessorContext.forward` does.
   *
   * @throws {ProcessingError} STREAMS_PROCESSING_FAILED naming the node, if the record is none that came to it or was made of one
   */
  forward(record: FixedKeyRecord<K, VOut>, childName?: string): Awaitable<void>;
}

/** One step of a topology that keeps the keys; else as `Processor`. Kafka: `processor.api.FixedKeyProcessor`. */
export interface FixedKeyProcessor<K, VIn, VOut = never> {
  /** Called once before the first record, with the stores restored. */
  init?(context: FixedKeyProcessorContext<K, VOut>): Awaitable<void>;
  process(record: FixedKeyRecord<K, VIn>): Awaitable<void>;
  /** Called once at the end of the instance, also after an abort. */
  close?(): Awaitable<void>;
}

/** Makes the instance of one task. Must return a new object at each call. Kafka: `FixedKeyProcessorSupplier`. */
export type FixedKeyProcessorSupplier<K, VIn, VOut = never> = () => FixedKeyProcessor<K, VIn, VOut>;
