import type { Awaitable } from '../model/awaitable.js';
import type { ProcessorContext } from './processor-context.js';
import type { StreamRecord } from './stream-record.js';

/**
 * One step of a topology, written by hand. Kafka: `processor.api.Processor`.
 *
 * Each task has its own instance, and a task that had to abort makes new ones: fields of a processor are scratch memory,
 * state belongs in a store. `process` may return a promise; the record after it then waits, and only then.
 */
export interface Processor<KIn, VIn, KOut = never, VOut = never> {
  /** Called once before the first record, with the stores restored. */
  init?(context: ProcessorContext<KOut, VOut>): Awaitable<void>;
  process(record: StreamRecord<KIn, VIn>): Awaitable<void>;
  /** Called once at the end of the instance, also after an abort. */
  close?(): Awaitable<void>;
}

/** Makes the instance of one task. Must return a new object at each call. */
export type ProcessorSupplier<KIn, VIn, KOut = never, VOut = never> = () => Processor<KIn, VIn, KOut, VOut>;
