/**
 * What the scheduler function may be called with: the schedule, a tick of ours, or word of failed task invocations, directly
 * from Lambda's failure destination or through a queue.
 *
 * A failed invocation is known by its request id and not by what it was asked to run: an invocation may claim another slot
 * than the one it was invoked for, and a doorbell names no slot at all.
 */
import { decodePayload } from '../invoke/decode-payload.js';
import type { Tick } from '../invoke/payloads.js';
import { asStreamsError, type StreamsError } from '../model/errors.js';
import { type Fields, fieldsOf, isFields, jsonOf, listOf, textOf } from './event-fields.js';

export interface FailedInvocation {
  /** Of the invocation that failed. */
  readonly requestId: string;
  /** Lambda's reason: `RetriesExhausted`, `EventAgeExceeded`. */
  readonly condition: string;
}

/** A message of the queue that is no failure event: it is handed back, and the others are used. */
export interface UnreadMessage {
  readonly messageId: string;
  readonly error: StreamsError;
}

export type SchedulerEvent =
  | { readonly type: 'schedule' }
  | Tick
  | {
      readonly type: 'failures';
      readonly failed: readonly FailedInvocation[];
      readonly unread: readonly UnreadMessage[];
    };

/** EventBridge rules and EventBridge Scheduler. */
const SCHEDULE_SOURCES: readonly unknown[] = ['aws.events', 'aws.scheduler'];

/**
 * Reads the event; touches nothing.
 *
 * @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD
 */
export function decodeSchedulerEvent(event: unknown): SchedulerEvent {
  if (isFields(event)) {
    if (SCHEDULE_SOURCES.includes(event.source)) return { type: 'schedule' };
    if (event.Records !== undefined) return decodeQueueEvent(event);
    if (event.requestContext !== undefined)
      return { type: 'failures', failed: [decodeFailure(event, 'event')], unread: [] };
  }
  return decodePayload('scheduler', event);
}

function decodeQueueEvent(event: Fields): SchedulerEvent {
  const failed: FailedInvocation[] = [];
  const unread: UnreadMessage[] = [];
  for (const [index, entry] of listOf(event.Records, 'Records').entries()) {
    const where = `Records[${index}]`;
    const message = fieldsOf(entry, where);
    const messageId = textOf(message.messageId, `${where}.messageId`);
    try {
      const body = `${where}.body`;
      failed.push(decodeFailure(fieldsOf(jsonOf(textOf(message.body, body), body), body), body));
    } catch (error) {
      unread.push({ messageId, error: asStreamsError(error) });
    }
  }
  return { type: 'failures', failed, unread };
}

/** Lambda's record of an asynchronous invocation. */
function decodeFailure(record: Fields, where: string): FailedInvocation {
  const context = fieldsOf(record.requestContext, `${where}.requestContext`);
  return {
    requestId: textOf(context.requestId, `${where}.requestContext.requestId`),
    condition: textOf(context.condition, `${where}.requestContext.condition`),
  };
}
