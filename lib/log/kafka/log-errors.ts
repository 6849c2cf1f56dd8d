/** Failures as the library's errors: what leaves the adapter. */

import {
  AbortedError,
  InternalError,
  InvalidRecordError,
  InvalidSettingError,
  OffsetOutOfRangeError,
  ProducerFencedError,
  RecordTooLargeError,
  StreamsError,
  TopicRecreatedError,
  UnavailableError,
  UnknownTopicError,
} from '../../model/errors.js';
import { messageOf } from '../../model/thrown.js';
import { BrokerError, ConnectionFailure, type FailureDetails } from './failures.js';
import { MalformedResponse } from './protocol/malformed-response.js';

/** Anything thrown inside the adapter as a StreamsError; one already stays as it is. */
export function asLogError(thrown: unknown, details: FailureDetails = {}): StreamsError {
  if (thrown instanceof StreamsError) return thrown;
  if (thrown instanceof BrokerError) return fromBroker(thrown, { ...details, ...thrown.details });
  if (thrown instanceof ConnectionFailure) return fromConnection(thrown, details);
  const message = messageOf(thrown);
  if (thrown instanceof MalformedResponse)
    return new InternalError(`a broker's answer can not be read: ${message}`, { cause: thrown, details });
  return new InternalError(message, { cause: thrown, details });
}

function fromBroker(error: BrokerError, given: FailureDetails): StreamsError {
  const context = { cause: error, details: { ...given, errorCode: error.code, errorName: error.codeName } };
  switch (error.action) {
    case 'unknown-topic':
      return new UnknownTopicError(error.message, context);
    case 'other-topic':
      return new TopicRecreatedError(error.message, context);
    case 'out-of-range':
      return new OffsetOutOfRangeError(error.message, context);
    case 'too-large':
      return new RecordTooLargeError(error.message, { ...context, refused: refusedBy(error) });
    case 'invalid-record':
      return new InvalidRecordError(error.message, context);
    case 'fenced':
      return new ProducerFencedError(error.message, context);
    case 'refused':
      return new InvalidSettingError(error.message, {
        ...context,
        remedy: "Look at the error's name: a setting, a right or the version of the brokers is not what it needs.",
      });
    case 'exists':
    case 'leader':
    case 'coordinator':
    case 'retry':
    case 'soon':
    case 'transaction':
    case 'unavailable':
      return new UnavailableError(error.message, context);
  }
}

/** The one record of the batch that was refused; of several it is not known which is to blame, or whether they are too many. */
function refusedBy({ details: { from, to } }: BrokerError): readonly number[] {
  return typeof from === 'number' && to === from + 1 ? [from] : [];
}

function fromConnection(failure: ConnectionFailure, details: FailureDetails): StreamsError {
  if (!failure.isRefusal) return new UnavailableError(failure.message, { cause: failure, details });
  return new InvalidSettingError(failure.message, {
    cause: failure,
    details,
    remedy: 'Correct the credentials, the SASL mechanism, or the version of the brokers.',
  });
}

/** @throws {AbortedError} STREAMS_ABORTED if the signal has fired */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AbortedError('given up by the caller', { cause: signal.reason });
}

/**
 * A promise that ends with the signal, if that comes first; what it waits for goes on by itself.
 *
 * @throws {AbortedError} STREAMS_ABORTED
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(new AbortedError('given up by the caller', { cause: signal.reason }));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
