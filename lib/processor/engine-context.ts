import type { Awaitable } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import type { ProcessorContext, RecordMetadata } from './processor-context.js';
import type { StreamRecord } from './stream-record.js';

/**
 * What the library's own operators may ask of a task beyond what user code may. Every context that a task gives is one.
 * Kafka: `InternalProcessorContext`.
 */
export interface EngineContext<KOut = never, VOut = never> extends ProcessorContext<KOut, VOut> {
  /** Name of the node that it is the context of. */
  readonly nodeName: string;
  /** Bytes of updates that this operator may hold back until the flush; 0: forward each one at once. */
  readonly cacheMaxBytes: number;
  /** Registers what forwards held-back updates: called before each seal, operators nearer the source first. */
  onFlush(flush: () => Awaitable<void>): void;
  /** Takes hold of the record being processed, to go on with it later. */
  holdRecord(): HeldRecord;
  /** Waits by the host's clock; null where there is none, as in a task without an engine: then nothing times out. */
  readonly sleep: Sleep | null;
  /**
   * Registers what is called before each record of the task, whichever input it is of, once stream time has come to it: it belongs to no
   * record. `key` is that of the record in the bytes of its source's serde; null: it has none.
   */
  onRecord(call: (key: ByteKey | null) => Awaitable<void>): void;
  /** Registers what is called after each record of the task, whichever input it came from: it belongs to no record. */
  onRecordDone(call: () => Awaitable<void>): void;
  /**
   * Hands a record to all children as one that came from elsewhere: what they ask about its origin is answered so. Null: from nowhere.
   * Kafka: `setRecordContext`.
   */
  forwardFrom(origin: RecordMetadata | null, record: StreamRecord<KOut, VOut>): Awaitable<void>;
  /**
   * A time of this operator that only grows: committed with the offsets, in the transaction that makes its writes true, and given
   * back when the task starts again. Kafka: `addProcessorMetadataKeyValue` (KIP-825).
   *
   * @param name unique in the task, the same in each run; operators that ask for one name share the time
   */
  committedTime(name: string): CommittedTime;
  /**
   * A number of this operator that may fall as well as grow, committed and given back as {@link committedTime}'s is.
   *
   * @param name unique in the task, the same in each run; operators that ask for one name share the mark
   */
  committedMark(name: string): CommittedMark;
  /** Counts a record that the operator skips, as Kafka Streams' `dropped-records` does. */
  recordDropped(reason: 'null-key' | 'null-value' | 'late' | 'superseded' | 'expired'): void;
}

/**
 * Resolves after so many milliseconds; rejects as soon as the signal fires. A `pause` only lets something rest: where the clock is a
 * test's, it is over at once.
 */
export type Sleep = (ms: number, signal?: AbortSignal, purpose?: 'pause') => Promise<void>;

/** A record that an operator is not done with. */
export interface HeldRecord {
  /**
   * Goes on with it: whatever asks where the record came from is answered as when it was held, and what is thrown is a failure of that record.
   * Only while the task lets the operator act: in `process`, after a record, in a flush.
   */
  resume(call: () => Awaitable<void>): Awaitable<void>;
}

/** A time that survives a restart. */
export interface CommittedTime {
  /** Milliseconds; −1 if there is none. */
  readonly ms: number;
  /** Moves it on; an earlier time changes nothing. Whole milliseconds, or anything negative for none. */
  raise(ms: number): void;
}

/** A number that survives a restart. */
export interface CommittedMark {
  /** Null if there is none yet. */
  readonly value: number | null;
  /** Replaces it by a whole number. */
  set(value: number): void;
}
