import { originalError } from '../model/original-error.js';
import { type Header, NO_HEADERS } from '../model/record-set.js';
import { messageOf, nameOf, stackOf } from '../model/thrown.js';
import type { FailedSource } from '../topology/failure-handlers.js';
import type { OutputCollector } from './output-collector.js';

/** Why a record is a dead letter. */
export interface DeathCause {
  /** Name of the error's class. */
  readonly exception: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

/** Where a dead letter comes from; nulls where there is no record to tell of. */
export interface DeadLetter extends Omit<FailedSource, 'topic' | 'isHeldBack'> {
  readonly topic: string | null;
}

/** What is left where a punctuation failed: a time. Kafka's dead letters have these marks in place of an origin. */
export function letterWithoutRecord(timestampMs: number): DeadLetter {
  return { topic: null, partition: -1, offset: -1, timestampMs, headers: NO_HEADERS, key: null, value: null };
}

/** The cause as a person would name it: what user code or a serde threw, not what was made of it on the way. */
export function causeOfDeath(thrown: unknown): DeathCause {
  const reason = originalError(thrown);
  return { exception: nameOf(reason), message: messageOf(reason), stack: stackOf(reason) };
}

/**
 * Writes a record to a dead-letter topic as it was read, with headers that say from where and why (KIP-1034): its own first. It
 * becomes true with the task's transaction. The partition is that of its input, as far as the topic has as many; the first without input.
 */
export function writeDeadLetter(outputs: OutputCollector, topic: string, source: DeadLetter, why: DeathCause): void {
  const output = outputs.topic(topic);
  const headers: Header[] = [
    ...source.headers,
    header('exception', why.exception),
    ...(why.stack === undefined ? [] : [header('stacktrace', why.stack)]),
    header('message', why.message),
    header('topic', source.topic),
    header('partition', String(source.partition)),
    header('offset', String(source.offset)),
  ];
  const timestampMs = Math.max(0, source.timestampMs);
  output.append(Math.max(0, source.partition) % output.partitions, source.key, source.value, timestampMs, headers);
}

function header(name: string, value: string | null): Header {
  return { key: `__streams.errors.${name}`, value: value === null ? null : Buffer.from(value, 'utf8') };
}
