import { originalError } from '../model/original-error.js';
import type { Header } from '../model/record-set.js';
import type { FailedSource } from '../topology/failure-handlers.js';
import type { OutputCollector } from './output-collector.js';

/** Why a record is a dead letter. */
export interface DeathCause {
  /** Name of the error's class. */
  readonly exception: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

/** The cause as a person would name it: what user code or a serde threw, not what was made of it on the way. */
export function causeOfDeath(thrown: unknown): DeathCause {
  const reason = originalError(thrown);
  if (!(reason instanceof Error)) return { exception: typeof reason, message: String(reason) };
  return { exception: reason.name, message: reason.message, stack: reason.stack };
}

/**
 * Writes a record to a dead-letter topic as it was read, with headers that say from where and why (KIP-1034): its own first. It
 * becomes true with the task's transaction. The partition is that of its input, as far as the topic has as many.
 */
export function writeDeadLetter(outputs: OutputCollector, topic: string, source: FailedSource, why: DeathCause): void {
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
  output.append(source.partition % output.partitions, source.key, source.value, timestampMs, headers);
}

function header(name: string, value: string): Header {
  return { key: `__streams.errors.${name}`, value: Buffer.from(value, 'utf8') };
}
