import {
  RecordTooLargeError,
  type StreamsError,
  UnavailableError,
  UnknownOutcomeError,
} from '../../../model/errors.js';
import { asLogError } from '../log-errors.js';
import type { TopicConfigs } from '../topics/topic-configs.js';

/** What a write throws: of one that was given up nobody knows whether it took effect. */
export function asSendError(thrown: unknown, details: Readonly<Record<string, unknown>> = {}): StreamsError {
  const error = asLogError(thrown, details);
  if (!(error instanceof UnavailableError)) return error;
  return new UnknownOutcomeError(error.message, { cause: error.cause ?? error, details: error.details });
}

/**
 * What a write throws that was refused for its size, after the limits were adjusted. A batch of several records is sent again in smaller
 * ones by whoever repeats the transaction: none of its records need be too large.
 */
export function afterRefusal(error: StreamsError, configs: Pick<TopicConfigs, 'refused'>): StreamsError {
  const { topic, batchBytes } = error.details;
  if (!(error instanceof RecordTooLargeError) || typeof topic !== 'string' || typeof batchBytes !== 'number')
    return error;
  configs.refused(topic, batchBytes);
  if (error.refused.length > 0) return error;
  return new UnavailableError(`${error.message}: its records go in smaller batches when they are sent again`, {
    cause: error,
    details: error.details,
  });
}
