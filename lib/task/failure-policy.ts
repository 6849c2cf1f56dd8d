/**
 * What a task does about a record that can not go through: it asks the application's handler, else the setting, and then fails, goes
 * on without the record, or goes on and writes it to a dead-letter topic, all within its transaction.
 *
 * Invariants
 *   P1  a failure is decided once: an error that was let through is not handled again by the nodes that forwarded the record
 *   P2  only what code or data did wrong is anybody's to decide: a fence, a service that is away or our own bug always ends the session
 *   P3  what a node wrote before it threw stays, as in Kafka Streams: to go on is not to undo
 *   P4  handlers and dead letters are given the record's bytes as they were fetched; only of what was held back, or made by a
 *       punctuation, there are none. All of it is counted
 *   P5  a handler is given what was thrown, as its dead letter tells of it: what we made of it on the way is for the log
 */
import { FAILURE_SETTINGS } from '../model/dead-letter-topics.js';
import { ProcessingError, type StreamsError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { originalError } from '../model/original-error.js';
import type { Settings } from '../model/settings.js';
import { messageOf } from '../model/thrown.js';
import type { RecordMetadata } from '../processor/processor-context.js';
import type { FailedSource, FailureHandlers, FailureKind, FailureResponse } from '../topology/failure-handlers.js';
import { causeOfDeath, type DeathCause, letterWithoutRecord, writeDeadLetter } from './dead-letters.js';
import type { OutputCollector } from './output-collector.js';
import type { DroppedRecord } from './task-output.js';
import type { TaskScope } from './task-scope.js';
import { userError } from './user-errors.js';

export interface FailurePolicyInit {
  readonly settings: Settings;
  readonly handlers: FailureHandlers;
  readonly outputs: OutputCollector;
  readonly scope: TaskScope;
}

interface Failure {
  readonly kind: FailureKind;
  readonly node: string;
  readonly error: StreamsError;
  /** Undefined: a punctuation. */
  readonly origin: RecordMetadata | undefined;
  /** The record; made only where a handler or a dead letter is given it. */
  readonly source: () => FailedSource | null;
  readonly why: DeathCause;
  /** As what it is counted, if not as its kind. */
  readonly counted?: DroppedRecord['reason'];
}

export class FailurePolicy {
  private readonly init: FailurePolicyInit;
  /** Errors that were decided to fail (P1). */
  private readonly decided = new WeakSet<object>();

  constructor(init: FailurePolicyInit) {
    this.init = init;
  }

  /** Bytes that the source can not read. Returns if the task goes on. */
  deserialization(error: StreamsError, node: string, read: FailedSource): void {
    const origin = { topic: read.topic, partition: read.partition, offset: read.offset as Offset };
    this.decide({ kind: 'deserialization', node, error, origin, source: () => read, why: causeOfDeath(error.cause) });
  }

  /** What a node threw. Returns if the task goes on without what the node had to do. */
  processing(thrown: unknown, node: string): void {
    const error = userError(thrown, node, this.init.scope);
    if (this.decided.has(error) || error.kind !== 'invalid') throw error;
    this.decide({ kind: 'processing', node, error, ...this.current(), why: causeOfDeath(thrown) });
  }

  /** What a sink could not write. Returns if the task goes on without the record. */
  production(error: StreamsError, node: string): void {
    this.decide({ kind: 'production', node, error, ...this.current(), why: causeOfDeath(error) });
  }

  /**
   * A record that an operator skips because it came too late, or that came too late for what its store still keeps. Each node says so
   * at most once of a record.
   */
  late(node: string, counted: 'late' | 'expired'): void {
    const { scope } = this.init;
    if (scope.metadata === undefined || !scope.isFirstLate(node)) {
      scope.recordDropped(counted);
      return;
    }
    const message =
      counted === 'late'
        ? `the record came after the grace period of ${node}`
        : `the record came too late for what ${node} still keeps`;
    const error = new ProcessingError(`task ${scope.taskId}: ${message}`, {
      details: { node, ...scope.whereabouts() },
      remedy:
        'Give the windows or the store of the operator a longer grace period or retention, or let late records be dropped (lateRecordHandler).',
    });
    this.decide({ kind: 'late', node, error, ...this.current(), why: { exception: 'LateRecord', message }, counted });
  }

  private current(): Pick<Failure, 'origin' | 'source'> {
    const { scope } = this.init;
    return { origin: scope.metadata, source: () => scope.sourceRecord() };
  }

  private decide(failure: Failure): void {
    const { settings, outputs, scope } = this.init;
    const response = this.responseTo(failure);
    if (response === 'fail') {
      this.decided.add(failure.error);
      throw failure.error;
    }
    const { kind, origin, source, why, counted } = failure;
    scope.dirty = true;
    const setting = settings[FAILURE_SETTINGS[kind]];
    const topic = typeof setting === 'object' ? setting.deadLetterTopic : settings.deadLetterTopic;
    if (response === 'continue' && topic !== '')
      writeDeadLetter(outputs, topic, source() ?? letterWithoutRecord(scope.punctuationMs), why);
    scope.dropped.add(counted ?? kind, origin, why.message);
  }

  private responseTo({ kind, node, error, source }: Failure): FailureResponse {
    const { settings, handlers, scope } = this.init;
    const handler = handlers[kind];
    if (handler === undefined) return settings[FAILURE_SETTINGS[kind]] === 'fail' ? 'fail' : 'continue';
    let response: unknown;
    try {
      response = handler({
        kind,
        taskId: scope.taskId,
        node,
        error: kind === 'late' ? null : originalError(error),
        source: source(),
      });
    } catch (thrown) {
      throw this.handlerFailed(kind, node, causeOfDeath(thrown).message, thrown);
    }
    if (response === 'fail' || response === 'continue' || response === 'discard') return response;
    throw this.handlerFailed(kind, node, `it answered ${messageOf(response)}`, undefined);
  }

  private handlerFailed(kind: FailureKind, node: string, message: string, cause: unknown): ProcessingError {
    const error = new ProcessingError(`handler '${kind}', asked about node ${node}: ${message}`, {
      cause,
      details: { kind, node, ...this.init.scope.whereabouts() },
      remedy: "Let the handler answer 'fail', 'continue' or 'discard', and not throw.",
    });
    this.decided.add(error);
    return error;
  }
}
