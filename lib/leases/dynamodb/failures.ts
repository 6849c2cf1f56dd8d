/** What the SDK throws, as the library's errors: all that leaves the adapter, and what may be tried again. */
import { InternalError, InvalidSettingError, StreamsError, UnavailableError } from '../../model/errors.js';

/** Too many requests for the table or the account, or two at once for an item: nothing was written. */
const THROTTLED: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  'LimitExceededException',
  'ReplicatedWriteConflictException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);
/** What a proxy or the service answers, under whatever name, to one who asks too often. */
const TOO_MANY_REQUESTS = 429;

/**
 * Refused before anybody looked at the request, for a reason that passes: credentials that were to be renewed, a signature that
 * took too long to arrive or came from a clock that the SDK sets right by this answer.
 */
const NOT_LET_IN: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
]);
/** So is a wrong signature, but for its words the same name tells both. */
const SIGNED_AT_ANOTHER_TIME = /signature (expired|not yet current)/i;

/** Refused because of what an operator has set or deployed; nothing was written. */
const REFUSALS: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'Deploy the tables (infra/tables.yml), or correct the name and the region of the table.',
  AccessDeniedException: 'Give the role the right in the message, for this table (infra/roles.yml).',
  UnrecognizedClientException: 'Correct the credentials.',
  InvalidSignatureException: 'Correct the credentials, or the clock of the machine.',
  MissingAuthenticationTokenException: 'Give credentials.',
  CredentialsProviderError: 'Give credentials: a role, a profile, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
};

/** Codes and names under which the SDK and Node report that a connection or a request came to nothing. */
const LOST_CONNECTION =
  /^(ECONN|EPIPE|EPROTO|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT|ERR_HTTP2|ERR_SSL|ERR_STREAM|TimeoutError|NetworkingError|AbortError|RequestTimeout)/;
/** An answer cut off in the middle can not be parsed; nor can a page of a proxy. */
const UNREADABLE_ANSWER = /^(SyntaxError)$/;

/** `throttled`: nothing was written, and it may be tried again · `unknown`: whether it was written is not known · `final`: do not try again. */
export interface Failure {
  readonly kind: 'throttled' | 'unknown' | 'final';
  readonly error: StreamsError;
}

/** Anything thrown by the SDK, sorted. An error of ours stays as it is. */
export function failureOf(thrown: unknown, details: Readonly<Record<string, unknown>>): Failure {
  if (thrown instanceof StreamsError) return { kind: 'final', error: thrown };
  const { name, code, status, message } = readFailure(thrown);
  const context = { cause: thrown, details: { ...details, error: name } };
  const words = `DynamoDB: ${name}: ${message}`;
  const isPassing = NOT_LET_IN.has(name) || SIGNED_AT_ANOTHER_TIME.test(message);
  if (THROTTLED.has(name) || status === TOO_MANY_REQUESTS || isPassing)
    return { kind: 'throttled', error: new UnavailableError(words, context) };
  const remedy = REFUSALS[name];
  if (remedy !== undefined) return { kind: 'final', error: new InvalidSettingError(words, { ...context, remedy }) };
  const isLost = [name, code].some((word) => LOST_CONNECTION.test(word) || UNREADABLE_ANSWER.test(word));
  if (status >= 500 || isLost) {
    const lost = { ...context, details: { ...context.details, outcome: 'unknown' } };
    return { kind: 'unknown', error: new UnavailableError(words, lost) };
  }
  return { kind: 'final', error: new InternalError(words, context) };
}

/** Whether it is the refusal of a condition, which is an answer. */
export function isRefusedCondition(thrown: unknown): boolean {
  return readFailure(thrown).name === 'ConditionalCheckFailedException';
}

function readFailure(thrown: unknown): { name: string; code: string; status: number; message: string } {
  if (!(thrown instanceof Error)) return { name: 'Error', code: '', status: 0, message: String(thrown) };
  const { code, $metadata } = thrown as { code?: unknown; $metadata?: { httpStatusCode?: unknown } };
  return {
    name: thrown.name,
    code: typeof code === 'string' ? code : '',
    status: Number($metadata?.httpStatusCode ?? 0),
    message: thrown.message,
  };
}
