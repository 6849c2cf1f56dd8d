/**
 * What can go wrong between us and a broker, before it becomes one of the library's errors. These never leave the adapter:
 * they carry what a retry has to know.
 */
import { type ErrorAction, errorCodeInfo } from './protocol/error-codes.js';

export const UNKNOWN_TOPIC_OR_PARTITION = 3;
export const UNKNOWN_TOPIC_ID = 100;

export interface FailureDetails {
  readonly [name: string]: unknown;
}

/** A broker answered with an error code. */
export class BrokerError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly action: ErrorAction;
  readonly details: FailureDetails;

  constructor(
    what: string,
    code: number,
    details: FailureDetails = {},
    { words = null, action }: { readonly words?: string | null; readonly action?: ErrorAction } = {},
  ) {
    const info = errorCodeInfo(code);
    super(`${what}: ${info.name}${words === null ? '' : ` (${words})`}`);
    this.name = 'BrokerError';
    this.code = code;
    this.codeName = info.name;
    this.action = action ?? info.action;
    this.details = details;
  }
}

/** No answer: the connection could not be made, broke, or stayed silent for too long. */
export class ConnectionFailure extends Error {
  /** Whether the broker may have seen the request, and done what it asks. */
  readonly maybeSent: boolean;
  /** To try again would end alike: wrong credentials, no such mechanism. */
  readonly isRefusal: boolean;

  constructor(
    message: string,
    options: { readonly maybeSent: boolean; readonly isRefusal?: boolean; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'ConnectionFailure';
    this.maybeSent = options.maybeSent;
    this.isRefusal = options.isRefusal ?? false;
  }
}

export type Failure = BrokerError | ConnectionFailure;

export function isFailure(thrown: unknown): thrown is Failure {
  return thrown instanceof BrokerError || thrown instanceof ConnectionFailure;
}

/** Throws unless the code is 0. */
export function failOn(what: string, code: number, details: FailureDetails = {}, words: string | null = null): void {
  if (code !== 0) throw new BrokerError(what, code, details, { words });
}

/** A leader's answer about a partition as a failure, or null for code 0. */
export function leaderFailure(
  what: string,
  code: number,
  details: FailureDetails,
  words: string | null = null,
): BrokerError | null {
  if (code === 0) return null;
  // Metadata said that it leads the partition. It has just begun to, or no longer does: metadata decides, asked again.
  return new BrokerError(what, code, details, {
    words,
    ...(code === UNKNOWN_TOPIC_OR_PARTITION && { action: 'leader' }),
  });
}

/** Throws unless the code of a leader's answer is 0; see {@link leaderFailure}. */
export function failOnLeader(what: string, code: number, details: FailureDetails): void {
  const failure = leaderFailure(what, code, details);
  if (failure !== null) throw failure;
}

/** Whether the request may have taken effect though it failed. */
export function mayHaveHappened(failure: Failure): boolean {
  // REQUEST_TIMED_OUT and NOT_ENOUGH_REPLICAS_AFTER_APPEND are answered after the leader has appended.
  if (failure instanceof BrokerError) return [-1, 7, 13, 20].includes(failure.code);
  return failure.maybeSent;
}
