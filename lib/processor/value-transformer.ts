/**
 * A function over the rows of a table that may keep state. Kafka: `ValueTransformerWithKey`.
 *
 * It is called for each update of the table, and again wherever its result is looked up without being kept: so of one key and value it
 * should make the same result each time, as the stores that it asks are at that moment.
 */
import type { Awaitable } from '../model/awaitable.js';
import type { ProcessorContext } from './processor-context.js';

/** What a transformer may ask of its task: all that a processor may, but for forwarding. */
export type ValueTransformerContext = Omit<ProcessorContext, 'forward'>;

export interface ValueTransformer<K, V, VR> {
  /** Called once before the first row, with the stores restored. */
  init?(context: ValueTransformerContext): Awaitable<void>;
  /**
   * The row that is made of one; null deletes it.
   *
   * @param value null for a row that is deleted, or that is not there where one is looked up
   */
  transform(key: K, value: V | null): Awaitable<VR | null>;
  /** Called once at the end of the instance that follows the updates. */
  close?(): Awaitable<void>;
}

/** Makes the instances of one task. Must return a new object at each call. Kafka: `ValueTransformerWithKeySupplier`. */
export type ValueTransformerSupplier<K, V, VR> = () => ValueTransformer<K, V, VR>;
