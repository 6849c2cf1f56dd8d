/** What S3 and its client throw, as errors of ours. What is not known below is `transient`, on purpose: it is tried again. */
import { S3ServiceException } from '@aws-sdk/client-s3';
import { InvalidSettingError, StreamsError, UnavailableError } from '../../model/errors.js';

/** Names of errors that do not go away by trying again: another bucket is meant, or there is nobody to sign as. */
const LASTING: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'CredentialsProviderError',
  'InvalidBucketName',
  'NoSuchBucket',
  'PermanentRedirect',
]);

/** What S3 answers, 403 with a name or without (HEAD has no body), where the role may not; some of it passes, though. */
const FORBIDDEN = 403;
const PASSING: ReadonlySet<string> = new Set(['ExpiredToken', 'RequestExpired', 'RequestTimeTooSkewed']);

const REMEDY =
  'Correct the bucket or its region, or let the role of this function call what the message names. ' +
  'Where the role lacks s3:ListBucket, an absent object counts as forbidden.';

/** Whether there is no such object, as against no such bucket. */
export function isAbsent(thrown: unknown): boolean {
  return statusOf(thrown) === 404 && nameOf(thrown) !== 'NoSuchBucket';
}

/** Whether an object of that name was there already. */
export function isTaken(thrown: unknown): boolean {
  return statusOf(thrown) === 412;
}

/** Whether another writer was at the same name at the same moment: the outcome is open, and the request is to be repeated. */
export function isConflict(thrown: unknown): boolean {
  return statusOf(thrown) === 409;
}

/** Whether a range starts at or behind the end of the object, which is there. */
export function isBeyondEnd(thrown: unknown): boolean {
  return statusOf(thrown) === 416;
}

/** An error of S3 as one of ours: a wrong bucket or a lack of permission is `invalid`, all else `transient`. */
export function asS3Error(what: string, bucket: string, thrown: unknown): StreamsError {
  if (thrown instanceof StreamsError) return thrown;
  const name = nameOf(thrown);
  const status = statusOf(thrown);
  const context = { cause: thrown, details: { bucket, name, status } };
  const message = `${what} in bucket ${bucket}: ${thrown instanceof Error ? `${name}: ${thrown.message}` : String(thrown)}`;
  const isLasting = LASTING.has(name) || (status === FORBIDDEN && !PASSING.has(name));
  return isLasting
    ? new InvalidSettingError(message, { ...context, remedy: REMEDY })
    : new UnavailableError(message, context);
}

function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof S3ServiceException ? thrown.$metadata.httpStatusCode : undefined;
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : '';
}
