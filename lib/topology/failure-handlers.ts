/**
 * What an application's own code decides about records that can not go through. Kafka: `DeserializationExceptionHandler`,
 * `ProcessingExceptionHandler` (KIP-1033), `ProductionExceptionHandler`; dead letters: KIP-1034.
 *
 * Settings say what happens by default; a function given here is asked instead, record by record. It is called inside the task, so it
 * should decide and return: it can not wait.
 */
import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { Headers } from '../model/record-set.js';
import type { TaskId } from '../model/task-id.js';
import type { UncaughtExceptionHandler } from './uncaught-exceptions.js';

/**
 * Where a record failed.
 *
 * - `deserialization`: its bytes are not what the source's serdes read
 * - `processing`: a processor, a function of an operator or a punctuation threw
 * - `production`: what a sink was given can not be serialised, or is larger than `maxRequestSize` or than its topic takes
 * - `late`: it came after the grace period of an operator, or too late for what a store still keeps (a join's window, a
 *   table's history, a ttl)
 */
export type FailureKind = 'deserialization' | 'processing' | 'production' | 'late';

/** A record that failed, and why. Kafka: `ErrorHandlerContext`. */
export interface FailedRecord {
  readonly kind: FailureKind;
  readonly taskId: TaskId;
  /** The node at which it failed. */
  readonly node: string;
  /**
   * What was thrown, as it was: by a function or processor of yours, or by a serde; an error of ours (`STREAMS_…`) only where we have found
   * the fault ourselves. Null for `late`: nothing was. Kafka hands over the same.
   */
  readonly error: unknown;
  /** The record as the task had read it; null in a punctuation, and for what one has forwarded. */
  readonly source: FailedSource | null;
}

/** Where a record came from, and its bytes as they were read. Kafka: `ErrorHandlerContext`, with `sourceRawKey` and `sourceRawValue`. */
export interface FailedSource {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly headers: Headers;
  /** As fetched, whatever was made of it since; null if the record has none, or {@link isHeldBack}. */
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /**
   * Whether what failed is an update that a cached table or a suppression had held back, of a record that has been processed long ago: key
   * and value as read are gone then, and null, as in Kafka Streams. Where the record lies is known.
   */
  readonly isHeldBack: boolean;
}

/**
 * `fail` stops the task, and nothing of its batch is committed · `continue` goes on without the record, which goes to the dead-letter
 * topic if there is one · `discard` goes on, and keeps the record nowhere.
 */
export type FailureResponse = 'fail' | 'continue' | 'discard';

/** A function for each kind of failure, and for what nobody caught; the setting decides where there is none. */
export type FailureHandlers = { readonly [K in FailureKind]?: (failed: FailedRecord) => FailureResponse } & {
  readonly uncaught?: UncaughtExceptionHandler;
};

const KINDS: readonly (keyof FailureHandlers)[] = ['deserialization', 'processing', 'production', 'late', 'uncaught'];

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what is no handler */
export function checkFailureHandlers(handlers: FailureHandlers): void {
  for (const [kind, handler] of Object.entries(handlers)) {
    if (!(KINDS as readonly string[]).includes(kind))
      throw new TopologyError(`there is no handler '${kind}'`, { details: { kind, known: KINDS } });
    if (handler !== undefined && typeof handler !== 'function')
      throw new TopologyError(`handler '${kind}' is ${kindOfValue(handler)}, a function is wanted`, {
        details: { kind },
      });
  }
}
