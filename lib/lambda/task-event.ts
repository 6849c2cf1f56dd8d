/** What the task function may be called with: a payload of ours, or the event of a Kafka event source mapping. */
import { decodePayload } from '../invoke/decode-payload.js';
import type { Doorbell, RunMember } from '../invoke/payloads.js';
import { doorbellPartitions, isKafkaEvent } from './kafka-event.js';

/** A mapping calls at once and waits for the answer: its event is never late. */
const NEVER_EXPIRES_MS = Number.MAX_SAFE_INTEGER;

/**
 * Reads the event; touches nothing.
 *
 * @param applicationId whose topics a Kafka event is about
 * @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD
 */
export function decodeTaskEvent(event: unknown, applicationId: string): RunMember | Doorbell {
  if (!isKafkaEvent(event)) return decodePayload('task', event);
  return { type: 'doorbell', applicationId, expiresAtMs: NEVER_EXPIRES_MS, partitions: doorbellPartitions(event) };
}
