import { type StreamsError, UnavailableError, UnknownOutcomeError } from '../../../model/errors.js';
import { asLogError } from '../log-errors.js';

/** What a write throws: of one that was given up nobody knows whether it took effect. */
export function asSendError(thrown: unknown, details: Readonly<Record<string, unknown>> = {}): StreamsError {
  const error = asLogError(thrown, details);
  if (!(error instanceof UnavailableError)) return error;
  return new UnknownOutcomeError(error.message, { cause: error.cause ?? error, details: error.details });
}
