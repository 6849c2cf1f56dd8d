/** What the task function may be called with: a payload of ours, or the event of a Kafka event source mapping. */
import { decodePayload } from '../invoke/decode-payload.js';
import type { Doorbell, RunMember } from '../invoke/payloads.js';
import { doorbellPartitions, isKafkaEvent } from './kafka-event.js';

/** A mapping calls at once and waits, so its event is as good as new; the expiry only completes the payload. */
const KAFKA_EVENT_LIFE_MS = 60_000;

/**
 * Reads the event; touches nothing.
 *
 * @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD
 */
export function decodeTaskEvent(
  event: unknown,
  { applicationId, nowMs }: { readonly applicationId: string; readonly nowMs: number },
): RunMember | Doorbell {
  if (!isKafkaEvent(event)) return decodePayload('task', event);
  return {
    type: 'doorbell',
    applicationId,
    expiresAtMs: nowMs + KAFKA_EVENT_LIFE_MS,
    partitions: doorbellPartitions(event),
  };
}
